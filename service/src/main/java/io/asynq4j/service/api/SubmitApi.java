package io.asynq4j.service.api;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.client.UnconfirmedTaskException;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.Problem;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.service.api.TaskSubmission.Fingerprint;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.config.SubmitSettings;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.limit.PendingTaskLimiter;
import io.asynq4j.service.response.Problems;
import io.asynq4j.service.response.TaskJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Enqueues the tasks of requests, one or many. Thread-safe. */
public final class SubmitApi {

  private static final Duration RETRY_WHEN_FULL = Duration.ofSeconds(2);

  private final DefinitionCatalog catalog;
  private final TaskClient client;
  private final Inspector inspector;
  private final PendingTaskLimiter pending;
  private final Supplier<RequestLimits> limits;
  private final Supplier<SubmitSettings> settings;

  public SubmitApi(
      DefinitionCatalog catalog,
      TaskClient client,
      Inspector inspector,
      PendingTaskLimiter pending,
      Supplier<RequestLimits> limits,
      Supplier<SubmitSettings> settings) {
    this.catalog = catalog;
    this.client = client;
    this.inspector = inspector;
    this.pending = pending;
    this.limits = limits;
    this.settings = settings;
  }

  ApiResponse submit(Exchange exchange) throws Exception {
    String key = exchange.header("Idempotency-Key").orElse(null);
    if (exchange.isLines()) {
      if (key != null) {
        throw Problems.invalid(
            "Idempotency-Key",
            "an Idempotency-Key applies to one task; set the id of each task of a batch instead");
      }
      return batch(exchange);
    }
    byte[] body = exchange.body(limits.get().body());
    return submit(List.of(body), exchange.caller(), key).get(0);
  }

  /** Enqueues one task per line. The response has one line for each, in the same order. */
  private ApiResponse batch(Exchange exchange) throws Exception {
    RequestLimits current = limits.get();
    List<byte[]> lines = lines(exchange.body(current.batch()));
    if (lines.size() > current.batchLines()) {
      throw new Problem(
          413,
          "too-large",
          "a batch must have at most %,d lines, got %,d"
              .formatted(current.batchLines(), lines.size()));
    }
    List<ApiResponse> answers = submit(lines, exchange.caller(), null);
    return ApiResponse.bytes(
        Json.lines(answers.stream().map(ApiResponse::line).toList()), ApiResponse.JSON_LINES);
  }

  private static List<byte[]> lines(byte[] body) {
    List<byte[]> lines = new ArrayList<>();
    int begin = 0;
    for (int i = 0; i <= body.length; i++) {
      if (i == body.length || body[i] == '\n') {
        if (!isBlank(body, begin, i)) {
          lines.add(Arrays.copyOfRange(body, begin, i));
        }
        begin = i + 1;
      }
    }
    return lines;
  }

  private static boolean isBlank(byte[] body, int from, int to) {
    for (int i = from; i < to; i++) {
      if (body[i] != ' ' && body[i] != '\t' && body[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private List<ApiResponse> submit(List<byte[]> bodies, ApiKey caller, @Nullable String key) {
    ApiResponse[] answers = new ApiResponse[bodies.size()];
    List<TaskSubmission> accepted = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      try {
        accepted.add(accept(bodies.get(i), caller, key));
        places.add(i);
      } catch (Problem problem) {
        answers[i] = Problems.render(problem);
      }
    }
    List<EnqueueRequest> requests = accepted.stream().map(TaskSubmission::request).toList();
    List<EnqueueResult> results = client.durably(settings.get().durability()).enqueueAll(requests);
    for (int i = 0; i < results.size(); i++) {
      try {
        answers[places.get(i)] = answer(accepted.get(i), results.get(i));
      } catch (Problem problem) {
        answers[places.get(i)] = Problems.render(problem);
      }
    }
    return Arrays.asList(answers);
  }

  private TaskSubmission accept(byte[] body, ApiKey caller, @Nullable String key) {
    TaskSubmission submission =
        TaskSubmission.read(
            Json.parse(body, "the body", Problems.FACTORY),
            caller,
            catalog,
            key,
            settings.get().idempotency());
    requireCapacity(submission.definition());
    return submission;
  }

  private void requireCapacity(TaskDefinition definition) {
    if (!pending.tryAdmit(definition)) {
      throw Problems.notNow(
          429,
          "too-many-waiting",
          "the maximum number of pending tasks named \"%s\" is reached (%,d)"
              .formatted(definition.name(), definition.maxPending()),
          RETRY_WHEN_FULL);
    }
  }

  private ApiResponse answer(TaskSubmission submission, EnqueueResult result) {
    String queue = submission.definition().queue().value();
    if (result instanceof EnqueueResult.Enqueued enqueued) {
      return TaskJson.response(201, TaskJson.of(enqueued.info(), submission.params()));
    } else if (result instanceof EnqueueResult.IdConflict conflict) {
      TaskInfo existing = find(queue, conflict.id());
      return replay(submission.fingerprint(), existing, conflict.id());
    } else if (result instanceof EnqueueResult.Duplicate duplicate) {
      TaskInfo existing = find(queue, duplicate.holderId());
      throw Problems.conflict(
          "duplicate",
          "an equal task already exists, with the id \"" + duplicate.holderId() + "\"",
          existing == null ? null : TaskJson.of(existing));
    }
    RuntimeException error = ((EnqueueResult.Failed) result).error();
    if (error instanceof UnconfirmedTaskException unconfirmed) {
      throw Problems.notNow(
          503,
          "unconfirmed",
          "task \"%s\" is enqueued, but not as durably as configured; a failover may lose it"
              .formatted(unconfirmed.task().id()),
          Duration.ofSeconds(1));
    }
    if (error instanceof PayloadException) {
      throw new Problem(413, "too-large", String.valueOf(error.getMessage()));
    }
    if (error instanceof IllegalArgumentException) {
      throw Problems.invalid("", String.valueOf(error.getMessage()));
    }
    throw error;
  }

  private static ApiResponse replay(
      @Nullable Fingerprint asked, @Nullable TaskInfo existing, String id) {
    Fingerprint before =
        existing == null
            ? null
            : Fingerprint.parse(existing.headers().get(TaskSubmission.FINGERPRINT_HEADER));
    if (asked != null && before != null && existing != null && before.key().equals(asked.key())) {
      if (before.body().equals(asked.body())) {
        return TaskJson.response(201, TaskJson.of(existing)).with("Idempotent-Replayed", "true");
      }
      throw Problems.invalid(
          "Idempotency-Key", "this Idempotency-Key was already used with another body");
    }
    throw Problems.conflict(
        "id-taken",
        "a task with the id \"" + id + "\" already exists",
        existing == null ? null : TaskJson.of(existing));
  }

  /** Returns null if the task was deleted in the meantime. */
  private @Nullable TaskInfo find(String queue, String id) {
    try {
      return inspector.queue(queue).task(id);
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      return null;
    }
  }
}
