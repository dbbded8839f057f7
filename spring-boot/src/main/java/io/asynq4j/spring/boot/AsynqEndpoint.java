package io.asynq4j.spring.boot;

import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueInspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The endpoint {@code /actuator/asynq}: queues and servers, and pausing and resuming a queue by
 * {@code POST /actuator/asynq/mail} with {@code {"action": "pause"}}. Thread-safe.
 */
@Endpoint(id = "asynq")
public final class AsynqEndpoint {

  private static final int MAX_QUEUES = 1_000;

  private final Inspector inspector;

  AsynqEndpoint(Inspector inspector) {
    this.inspector = inspector;
  }

  /** Returns the first 1,000 queues by name, and all servers. */
  @ReadOperation
  public Map<String, Object> overview() {
    Map<String, Object> overview = new LinkedHashMap<>();
    overview.put(
        "queues",
        inspector.queues().stream()
            .limit(MAX_QUEUES)
            .map(name -> queue(inspector.queue(name).listedSnapshot()))
            .toList());
    overview.put("servers", inspector.servers().stream().map(AsynqEndpoint::server).toList());
    return overview;
  }

  /** Returns one queue; null, which is the status 404, if it does not exist. */
  @ReadOperation
  public @Nullable Map<String, Object> queue(@Selector String queue) {
    try {
      return queue(inspected(queue).snapshot());
    } catch (QueueNotFoundException e) {
      return null;
    }
  }

  /**
   * Pauses or resumes a queue, and returns it; null if it does not exist.
   *
   * @param action {@code pause} or {@code resume}
   */
  @WriteOperation
  public @Nullable Map<String, Object> change(@Selector String queue, String action) {
    try {
      switch (action) {
        case "pause" -> inspected(queue).pause();
        case "resume" -> inspected(queue).resume();
        default ->
            throw new InvalidEndpointRequestException(
                "the action \"%s\" is unknown: use pause or resume".formatted(action),
                "unknown action");
      }
    } catch (QueueNotFoundException e) {
      return null;
    }
    return queue(queue);
  }

  private QueueInspector inspected(String queue) {
    try {
      return inspector.queue(queue);
    } catch (IllegalArgumentException e) {
      throw new InvalidEndpointRequestException(
          String.valueOf(e.getMessage()), "invalid name of a queue", e);
    }
  }

  private static Map<String, Object> queue(QueueSnapshot queue) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", queue.queue());
    row.put("paused", queue.paused());
    row.put("latency", queue.latency().toString());
    for (TaskState state : TaskState.values()) {
      row.put(state.name().toLowerCase(Locale.ROOT), queue.size(state));
    }
    row.put("processedToday", queue.processedToday());
    row.put("failedToday", queue.failedToday());
    return row;
  }

  private static Map<String, Object> server(ServerSnapshot server) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("id", server.id());
    row.put("host", server.host());
    row.put("pid", server.pid());
    row.put("status", server.status());
    row.put("concurrency", server.concurrency());
    row.put("activeWorkers", server.activeWorkers());
    row.put("queues", List.copyOf(server.queues().keySet()));
    return row;
  }
}
