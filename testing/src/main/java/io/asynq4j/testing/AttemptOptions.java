package io.asynq4j.testing;

import io.asynq4j.TaskOptions;
import io.asynq4j.handler.TaskContext.CancelReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt sees in its context, see {@link TestQueues#attempt}. Default: the first attempt
 * of a task with the options of its type. Not thread-safe.
 */
public final class AttemptOptions {

  private final TaskOptions.Builder options = TaskOptions.builder();
  private int retried;
  private @Nullable CancelReason cancel;

  AttemptOptions() {}

  /** Sets the number of retries before this attempt. Default: 0. */
  public AttemptOptions retried(int retries) {
    if (retries < 0) {
      throw new IllegalArgumentException("retried must be 0 or greater, got " + retries);
    }
    this.retried = retries;
    return this;
  }

  /** Sets the maximum number of retries. */
  public AttemptOptions maxRetry(int retries) {
    options.maxRetry(retries);
    return this;
  }

  /** Sets the ID of the task. Default: a random one. */
  public AttemptOptions id(String id) {
    options.id(id);
    return this;
  }

  /** Sets the queue of the task. */
  public AttemptOptions queue(String queue) {
    options.queue(queue);
    return this;
  }

  /** Adds a header to the task. */
  public AttemptOptions header(String name, String value) {
    options.header(name, value);
    return this;
  }

  /** Sets the time limit of the attempt. */
  public AttemptOptions timeout(Duration timeout) {
    options.timeout(timeout);
    return this;
  }

  /** Sets the deadline of the task. An attempt after it fails without calling the handler. */
  public AttemptOptions deadline(Instant deadline) {
    options.deadline(deadline);
    return this;
  }

  /** Cancels the attempt when its handler is called, which interrupts its thread. */
  public AttemptOptions cancelled(CancelReason reason) {
    this.cancel = Objects.requireNonNull(reason, "reason");
    return this;
  }

  TaskOptions over(TaskOptions ofType) {
    return ofType.overriddenBy(options.build());
  }

  int retried() {
    return retried;
  }

  @Nullable CancelReason cancel() {
    return cancel;
  }
}
