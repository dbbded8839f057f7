package io.asynq4j.dashboard.internal.api;

import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.JsonFields;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.Explanation;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.Reason;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tasks: lists and details. */
public final class TaskResource {

  /** Number of tasks in the first read, when their size is unknown. */
  private static final int FIRST = 5;

  private static final long SMALL = 1L << 20;
  private static final long LARGE = 16L << 20;

  private final PayloadRenderer contents;
  private final TaskView tasks;

  public TaskResource(PayloadRenderer contents) {
    this.contents = contents;
    this.tasks = new TaskView(contents);
  }

  public List<Route<Role, Exchange>> routes() {
    String one = "/api/v1/queues/{queue}/tasks/{id}";
    return List.of(
        Route.of("listTasks", "GET", "/api/v1/queues/{queue}/tasks", Role.VIEWER, this::list),
        Route.of("getTask", "GET", one, Role.VIEWER, this::get),
        Route.of("explainTask", "GET", one + "/explanation", Role.VIEWER, this::explain),
        Route.of("downloadPayload", "GET", one + "/payload", Role.VIEWER, this::payload),
        Route.of("downloadResult", "GET", one + "/result", Role.VIEWER, this::result));
  }

  private ApiResponse list(Exchange exchange) {
    String queue = exchange.queue();
    String group = exchange.param("group");
    String word = exchange.param("state", group == null ? "" : TaskState.AGGREGATING.word());
    if (word.isEmpty()) {
      throw Problems.badRequest("\"state\" is required, or \"group\" for aggregating tasks.");
    }
    TaskState state = TaskState.ofWord(word);
    if (state == TaskState.AGGREGATING && group == null) {
      throw Problems.badRequest("\"group\" is required for aggregating tasks.");
    }
    PageRequest first =
        ordered(
            PageRequest.at(exchange.integer("offset", 0, 0, Integer.MAX_VALUE), exchange.limit())
                .after(exchange.param("cursor")),
            exchange.param("order", "usual"));
    RedisInstance source = exchange.source();
    Page page = page(source, queue, state, group, first);
    return ApiResponse.ok(
        new JsonFields()
            .put("items", page.items())
            .put("total", page.total())
            .put("cursor", page.cursor())
            .put("unreadable", page.unreadable()));
  }

  private static PageRequest ordered(PageRequest page, String order) {
    return switch (order) {
      case "usual" -> page;
      case "oldest" -> page.oldestFirst();
      case "newest" -> page.newestFirst();
      default ->
          throw Problems.badRequest(
              "\"order\" must be usual, oldest or newest, got \"" + order + "\".");
    };
  }

  private record Page(
      List<Object> items, long total, @Nullable String cursor, List<String> unreadable) {}

  /**
   * Reads in steps and keeps only the visible part of each task, because a page of large payloads
   * would not fit into memory. With small payloads, one or two more steps read the rest.
   */
  private Page page(
      RedisInstance source,
      String queue,
      TaskState state,
      @Nullable String group,
      PageRequest wanted) {
    List<Object> items = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    int step = FIRST;
    PageRequest next = limited(wanted, Math.min(step, wanted.limit()));
    while (true) {
      TaskPage part = read(source.inspector(), queue, state, group, next);
      long bytes = 0;
      for (TaskInfo task : part.tasks()) {
        items.add(tasks.row(task, source).map());
        bytes += task.payload().size() + task.result().size();
      }
      unreadable.addAll(part.unreadable());
      int left = wanted.limit() - items.size() - unreadable.size();
      if (part.cursor() == null || left <= 0) {
        return new Page(items, part.total(), part.cursor(), unreadable);
      }
      step = bytes < SMALL ? wanted.limit() : bytes > LARGE ? 1 : step;
      next = limited(wanted, Math.min(step, left)).after(part.cursor());
    }
  }

  private static PageRequest limited(PageRequest page, int limit) {
    return new PageRequest(page.offset(), limit, page.cursor(), page.direction());
  }

  private static TaskPage read(
      Inspector inspector,
      String queue,
      TaskState state,
      @Nullable String group,
      PageRequest page) {
    return group == null
        ? inspector.queue(queue).tasks(state, page)
        : inspector.queue(queue).groupTasks(group, page);
  }

  private ApiResponse get(Exchange exchange) {
    RedisInstance source = exchange.source();
    TaskInfo task = source.inspector().queue(exchange.queue()).task(exchange.path("id"));
    return ApiResponse.ok(
        tasks.whole(task, source, exchange.user()).put("failures", failures(source, task)));
  }

  /** Returns the latest failed attempts, oldest first. */
  private List<Object> failures(RedisInstance source, TaskInfo task) {
    List<Object> failures = new ArrayList<>();
    if (contents.isHidden(HiddenField.ERROR)) {
      return failures;
    }
    for (FailedAttempt failed : source.inspector().queue(task.queue()).failures(task.id())) {
      failures.add(
          new JsonFields()
              .put("at", failed.at())
              .put("error", failed.error())
              .put("trace", failed.trace())
              .map());
    }
    return failures;
  }

  private ApiResponse explain(Exchange exchange) {
    Explanation explanation =
        exchange.source().inspector().queue(exchange.queue()).explain(exchange.path("id"));
    List<Object> reasons = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (Reason reason : explanation.reasons()) {
      String words = words(reason);
      text.append(text.isEmpty() ? "" : " ").append(words);
      reasons.add(new JsonFields().put("kind", kind(reason)).put("text", words).map());
    }
    return ApiResponse.ok(
        new JsonFields()
            .put("text", reasons.isEmpty() ? explanation.text() : text.toString())
            .put("reasons", reasons));
  }

  /** Converts a constant to the spelling of the API: not-due, queue-paused. */
  private static String kind(Reason reason) {
    return reason
        .getClass()
        .getSimpleName()
        .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
        .toLowerCase(Locale.ROOT);
  }

  private String words(Reason reason) {
    if (contents.isHidden(HiddenField.ERROR)) {
      if (reason instanceof Reason.AttemptFailed failed) {
        return new Reason.AttemptFailed("…", failed.at(), failed.retried(), failed.maxRetry())
            .text();
      } else if (reason instanceof Reason.Archived archived) {
        return new Reason.Archived(archived.since(), "").text();
      }
    }
    return reason.text();
  }

  private ApiResponse payload(Exchange exchange) {
    TaskInfo task = exchange.source().inspector().queue(exchange.queue()).task(exchange.path("id"));
    return file(
        task, "payload", task.payload(), contents.wholePayload(task.type(), task.payload()));
  }

  private ApiResponse result(Exchange exchange) {
    TaskInfo task = exchange.source().inspector().queue(exchange.queue()).task(exchange.path("id"));
    return file(task, "result", task.result(), contents.wholeResult(task.type(), task.result()));
  }

  /** Returns a download, which the browser never displays itself. */
  private static ApiResponse file(
      TaskInfo task, String what, Payload payload, Optional<byte[]> bytes) {
    if (payload.size() == 0) {
      throw Problems.notFound("Task " + task.id() + " has no " + what + ".");
    }
    String name = task.id().replaceAll("[^A-Za-z0-9._-]", "_") + "." + what;
    return ApiResponse.bytes(
            bytes.orElseThrow(
                () -> Problems.forbidden("This dashboard is configured to hide the " + what + ".")),
            "application/octet-stream")
        .with("Content-Disposition", "attachment; filename=\"" + TextExcerpt.of(name, 100) + "\"");
  }
}
