package io.asynq4j.service.definition;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.FollowUps;
import io.asynq4j.http.Json;
import io.asynq4j.internal.outcome.OutcomePolicy.Failure;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.service.response.TaskJson;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Enqueues the follow-ups that definitions name for the events before, success and failure. Their
 * ids contain the id and number of the attempt, so reporting an attempt twice enqueues its
 * follow-up once. Thread-safe.
 */
public final class FollowUpTasks {

  private static final Logger log = LoggerFactory.getLogger(FollowUpTasks.class);

  /** One attempt of a task. */
  public record Attempt(String id, String name, int number, Payload params) {

    public static Attempt of(LeasedTask task) {
      return new Attempt(task.id(), task.task().type(), task.retried() + 1, task.task().payload());
    }
  }

  private enum Event {
    BEFORE,
    SUCCESS,
    FAILURE
  }

  private final Function<String, Optional<TaskDefinition>> definitions;
  private final TaskClient client;

  public FollowUpTasks(Function<String, Optional<TaskDefinition>> definitions, TaskClient client) {
    this.definitions = definitions;
    this.client = client;
  }

  public Optional<EnqueueRequest> before(Attempt attempt) {
    return request(Event.BEFORE, attempt, Json.object());
  }

  /**
   * Returns the follow-up of an attempt that succeeded, if its definition names one.
   *
   * @param result null if there is none
   */
  public Optional<EnqueueRequest> succeeded(Attempt attempt, @Nullable JsonNode result) {
    ObjectNode more = Json.object();
    if (result != null) {
      more.set("result", result);
    }
    return request(Event.SUCCESS, attempt, more);
  }

  /** Returns the follow-up of an attempt that failed, if its definition names one. */
  public Optional<EnqueueRequest> failed(Attempt attempt, Failure failure) {
    ObjectNode more =
        Json.object().put("error", failure.error()).put("willRetry", failure.willRetry());
    return request(Event.FAILURE, attempt, more);
  }

  private Optional<EnqueueRequest> request(Event event, Attempt attempt, ObjectNode more) {
    return definitions
        .apply(attempt.name())
        .map(definition -> named(definition.followUps(), event))
        .flatMap(name -> request(name, event, attempt, more));
  }

  /** Returns the queues of the tasks that are enqueued before a task of this name. */
  Set<String> queuesBefore(String name) {
    return queues(name, Event.BEFORE);
  }

  /** Returns the queues of the tasks that may be enqueued after a task of this name. */
  Set<String> queuesAfter(String name) {
    return queues(name, Event.SUCCESS, Event.FAILURE);
  }

  private Set<String> queues(String name, Event... events) {
    Optional<FollowUps> followUps = definitions.apply(name).map(TaskDefinition::followUps);
    Set<String> queues = new HashSet<>();
    for (Event event : events) {
      followUps
          .map(all -> named(all, event))
          .flatMap(definitions)
          .ifPresent(definition -> queues.add(definition.queue().value()));
    }
    return queues;
  }

  private static @Nullable String named(FollowUps followUps, Event event) {
    return switch (event) {
      case BEFORE -> followUps.before();
      case SUCCESS -> followUps.success();
      case FAILURE -> followUps.failure();
    };
  }

  private Optional<EnqueueRequest> request(
      String name, Event event, Attempt attempt, ObjectNode more) {
    Optional<TaskDefinition> definition = definitions.apply(name);
    if (definition.isEmpty()) {
      log.warn(
          "task \"{}\": the follow-up \"{}\" is not defined and not enqueued",
          attempt.name(),
          name);
      return Optional.empty();
    }
    String word = event.name().toLowerCase(Locale.ROOT);
    ObjectNode params = Json.object();
    params.put("event", word);
    params.put("id", attempt.id());
    params.put("name", attempt.name());
    params.put("attempt", attempt.number());
    params.set("params", TaskJson.value(attempt.params()));
    more.properties().forEach(field -> params.set(field.getKey(), field.getValue()));
    String id = "%s.%s.%d.%s".formatted(attempt.name(), attempt.id(), attempt.number(), word);
    return Optional.of(
        EnqueueRequest.of(
            Task.of(name, Payload.of(Json.bytes(params))),
            definition.get().options().overriddenBy(TaskOptions.builder().id(id).build())));
  }

  /**
   * Enqueues follow-ups. Throws if one could not be enqueued: then the attempt must not be settled.
   */
  public void send(List<EnqueueRequest> requests) {
    if (requests.isEmpty()) {
      return;
    }
    for (EnqueueResult result : client.enqueueAll(requests)) {
      if (result instanceof EnqueueResult.Failed failed) {
        throw failed.error();
      }
    }
  }
}
