package io.asynq4j.internal.broker;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A task to enqueue: its message, its first placement, and how long it excludes equal tasks. */
public record NewTask(TaskMessage message, Placement placement, @Nullable Duration uniqueFor) {

  /** The first placement of a new task. */
  public sealed interface Placement {
    /** To the tail of its queue. */
    record Pending() implements Placement {}

    /** Into its group. */
    record Grouped() implements Placement {}

    /** Waits until an instant. */
    record At(Instant when, boolean precise) implements Placement {}

    /** Waits for a duration from the time of enqueueing in Redis. */
    record After(Duration delay, boolean precise) implements Placement {}
  }

  /**
   * Applies defaults to absent options. Durations are rounded up to the whole seconds of the
   * protocol.
   */
  public static NewTask of(Task task, TaskOptions options, Instant now) {
    TaskMessage message =
        new TaskMessage(
            task.type(),
            task.payload(),
            options.id() != null ? options.id() : UUID.randomUUID().toString(),
            options.queue() != null ? options.queue() : QueueName.DEFAULT,
            options.maxRetry() != null ? options.maxRetry() : TaskOptions.DEFAULT_MAX_RETRY,
            0,
            "",
            timeout(options),
            options.deadline() == null
                ? null
                : Instant.ofEpochSecond(options.deadline().getEpochSecond()),
            "",
            null,
            options.retention() == null ? Duration.ZERO : WholeSeconds.roundUp(options.retention()),
            null,
            options.group() == null ? "" : options.group(),
            headers(task, options),
            Payload.absent());
    return new NewTask(message, placement(options, now), options.uniqueFor());
  }

  private static Map<String, String> headers(Task task, TaskOptions options) {
    if (options.headers().isEmpty()) {
      return task.headers();
    }
    Map<String, String> headers = new HashMap<>(task.headers());
    headers.putAll(options.headers());
    return headers;
  }

  private static Duration timeout(TaskOptions options) {
    if (options.timeout() != null) {
      return WholeSeconds.roundUp(options.timeout());
    }
    return options.deadline() == null ? TaskOptions.DEFAULT_TIMEOUT : Duration.ZERO;
  }

  private static Placement placement(TaskOptions options, Instant now) {
    if (options.processAt() != null && options.processAt().isAfter(now)) {
      return new Placement.At(options.processAt(), options.precise());
    }
    if (options.processIn() != null && !options.processIn().isZero()) {
      return new Placement.After(options.processIn(), options.precise());
    }
    return options.group() == null ? new Placement.Pending() : new Placement.Grouped();
  }
}
