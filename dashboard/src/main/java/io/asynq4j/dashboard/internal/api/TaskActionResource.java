package io.asynq4j.dashboard.internal.api;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.RequestFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueInspector;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.text.TextExcerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Actions on tasks. */
public final class TaskActionResource {

  private static final int MAX_IDS = 1_000;

  private static final String[] OPTIONS = {
    "id",
    "maxRetry",
    "timeout",
    "deadline",
    "uniqueFor",
    "processAt",
    "processIn",
    "retention",
    "group",
    "headers",
    "payload",
    "payloadText",
    "payloadBase64"
  };

  private final PayloadRenderer contents;
  private final TaskView tasks;

  public TaskActionResource(PayloadRenderer contents) {
    this.contents = contents;
    this.tasks = new TaskView(contents);
  }

  public List<Route<Role, Exchange>> routes() {
    String all = "/api/v1/queues/{queue}/tasks";
    String one = all + "/{id}";
    Role role = Role.OPERATOR;
    return List.of(
        Route.of("enqueue", "POST", all, role, this::enqueue)
            .withMaxBody(DashboardSettings.LARGEST_BODY),
        Route.of("batch", "POST", all + "/batch", role, this::batch),
        Route.of("deleteTask", "DELETE", one, role, one(QueueInspector::delete)),
        Route.of("updatePayload", "PUT", one + "/payload", role, this::edit)
            .withMaxBody(DashboardSettings.LARGEST_BODY),
        Route.of("runTask", "POST", one + "/run", role, one(QueueInspector::run)),
        Route.of("archiveTask", "POST", one + "/archive", role, this::archive),
        Route.of("cancelTask", "POST", one + "/cancel", role, this::cancel),
        Route.of("rescheduleTask", "POST", one + "/reschedule", role, this::reschedule),
        Route.of("moveTask", "POST", one + "/move", role, this::move),
        Route.of("copyTask", "POST", one + "/copy", role, this::copy)
            .withMaxBody(DashboardSettings.LARGEST_BODY));
  }

  private interface Action {
    void apply(QueueInspector queue, String id);
  }

  private static Route.Endpoint<Exchange> one(Action action) {
    return exchange -> {
      action.apply(exchange.source().inspector().queue(exchange.queue()), exchange.path("id"));
      exchange.changed(1);
      return ApiResponse.NO_CONTENT;
    };
  }

  private ApiResponse archive(Exchange exchange) {
    inspector(exchange, exchange.flag("dropOldest"))
        .queue(exchange.queue())
        .archive(exchange.path("id"));
    exchange.changed(1);
    return ApiResponse.NO_CONTENT;
  }

  private static Inspector inspector(Exchange exchange, boolean dropOldest) {
    Inspector inspector = exchange.source().inspector();
    return dropOldest ? inspector.droppingOldest() : inspector;
  }

  private ApiResponse enqueue(Exchange exchange) {
    String queue = exchange.queue();
    RequestFields body = exchange.body().knowing(with("type"));
    String type = body.required("type");
    Payload payload = PayloadFields.read(body);
    contents.requireNotMasked(type, payload);
    TaskOptions options =
        TaskOptions.of(
            o -> {
              set(body, o);
              return o.queue(queue);
            });
    RedisInstance source = exchange.source();
    EnqueueResult result = source.client().enqueue(Task.of(type, payload), options);
    if (result instanceof EnqueueResult.Duplicate duplicate) {
      throw Problems.conflict(
              "duplicate",
              "A duplicate of the task holds the uniqueness lock: "
                  + duplicate.holderId()
                  + " in queue "
                  + duplicate.queue()
                  + ".")
          .with("holderId", duplicate.holderId());
    }
    TaskInfo task = result.orThrow();
    exchange.changed(1);
    exchange.target(queue + "/" + task.id());
    return ApiResponse.json(201, tasks.row(task, source))
        .with("Location", exchange.location("queues", queue, "tasks", task.id()));
  }

  private static String[] with(String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(OPTIONS));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  private static void set(RequestFields body, TaskOptions.Builder options) {
    body.text("id").ifPresent(options::id);
    body.integer("maxRetry").ifPresent(options::maxRetry);
    body.duration("timeout").ifPresent(options::timeout);
    body.time("deadline").ifPresent(options::deadline);
    body.duration("uniqueFor").ifPresent(options::uniqueFor);
    body.time("processAt").ifPresent(options::processAt);
    body.duration("processIn").ifPresent(options::processIn);
    body.duration("retention").ifPresent(options::retention);
    body.text("group").ifPresent(options::group);
    body.map("headers").forEach(options::header);
  }

  private ApiResponse edit(Exchange exchange) {
    RequestFields body = exchange.requiredBody().knowing("payload", "payloadText", "payloadBase64");
    String queue = exchange.queue();
    String id = exchange.path("id");
    Inspector inspector = exchange.source().inspector();
    Payload payload = PayloadFields.read(body);
    boolean isToRun = exchange.flag("run");
    TaskInfo task = inspector.queue(queue).task(id);
    contents.requireNotMasked(task.type(), payload);
    inspector.queue(queue).updatePayload(id, payload);
    if (isToRun && TaskAction.RUN.isAllowedIn(task.state())) {
      inspector.queue(queue).run(id);
    }
    exchange.changed(1);
    return ApiResponse.NO_CONTENT;
  }

  private ApiResponse cancel(Exchange exchange) {
    AfterCancel after = afterCancel(exchange.body().knowing("after"));
    exchange.source().inspector().queue(exchange.queue()).cancel(exchange.path("id"), after);
    exchange.changed(1);
    return ApiResponse.NO_CONTENT;
  }

  static AfterCancel afterCancel(RequestFields body) {
    String word = body.text("after").orElse(null);
    if (word == null) {
      return AfterCancel.RETRY;
    }
    for (AfterCancel after : AfterCancel.values()) {
      if (after.name().toLowerCase(Locale.ROOT).equals(word)) {
        return after;
      }
    }
    throw Problems.unprocessable(
        "\"after\" must be retry, archive or delete, not \"" + word + "\".");
  }

  private ApiResponse reschedule(Exchange exchange) {
    Instant at = exchange.body().knowing("at", "in").timeFrom(exchange.source().now());
    exchange.source().inspector().queue(exchange.queue()).reschedule(exchange.path("id"), at);
    exchange.changed(1);
    return ApiResponse.NO_CONTENT;
  }

  private ApiResponse move(Exchange exchange) {
    String to = exchange.visible(exchange.body().knowing("queue").required("queue"));
    String queue = exchange.queue();
    exchange.target(queue + "/" + exchange.path("id") + " to " + to);
    exchange.source().inspector().queue(queue).move(exchange.path("id"), to);
    exchange.changed(1);
    return ApiResponse.NO_CONTENT;
  }

  /** Enqueues the same task again with changed options, and with the payload of the body if any. */
  private ApiResponse copy(Exchange exchange) {
    RequestFields body = exchange.body().knowing(with("queue"));
    String queue = exchange.queue();
    String id = exchange.path("id");
    String given = body.text("queue").orElse(null);
    String to = given == null ? queue : exchange.visible(given);
    QueueInspector inspector = exchange.source().inspector().queue(queue);
    UnaryOperator<TaskOptions.Builder> changes =
        options -> {
          set(body, options);
          return options.queue(to);
        };
    String newId;
    if (PayloadFields.isIn(body)) {
      Payload payload = PayloadFields.read(body);
      contents.requireNotMasked(inspector.task(id).type(), payload);
      newId = inspector.copy(id, payload, changes);
    } else {
      newId = inspector.copy(id, changes);
    }
    exchange.changed(1);
    exchange.target(queue + "/" + id + " to " + to + "/" + newId);
    return ApiResponse.json(201, new JsonFields().put("queue", to).put("id", newId))
        .with("Location", exchange.location("queues", to, "tasks", newId));
  }

  private ApiResponse batch(Exchange exchange) {
    String queue = exchange.queue();
    RequestFields body =
        exchange.body().knowing("action", "ids", "at", "in", "after", "queue", "dropOldest");
    List<String> ids = body.texts("ids");
    if (ids.isEmpty() || ids.size() > MAX_IDS) {
      throw Problems.unprocessable(
          "\"ids\" must contain 1 to 1,000 task IDs; use a job for more. Got: " + ids.size());
    }
    String action = body.required("action");
    Inspector inspector = inspector(exchange, body.flag("dropOldest", false));
    BulkReport report =
        switch (action) {
          case "run" -> inspector.queue(queue).run(ids);
          case "archive" -> inspector.queue(queue).archive(ids);
          case "delete" -> inspector.queue(queue).delete(ids);
          case "reschedule" ->
              inspector.queue(queue).reschedule(ids, body.timeFrom(exchange.source().now()));
          case "cancel" -> inspector.queue(queue).cancel(ids, afterCancel(body));
          case "move" -> inspector.queue(queue).move(ids, exchange.visible(body.required("queue")));
          default ->
              throw Problems.unprocessable(
                  "\"action\" must be run, archive, delete, reschedule, cancel or move, not \""
                      + action
                      + "\".");
        };
    exchange.changed(report.done());
    exchange.target(queue + " " + action + " " + TextExcerpt.of(String.join(",", ids), 500));
    return ApiResponse.ok(
        new JsonFields()
            .put("done", report.done())
            .put("failed", report.failed())
            .put("dropped", report.dropped())
            .put(
                "failures",
                report.failures().stream()
                    .map(
                        failure ->
                            new JsonFields()
                                .put("queue", queue)
                                .put("id", failure.id())
                                .put("problem", failure.problem())
                                .map())
                    .toList()));
  }
}
