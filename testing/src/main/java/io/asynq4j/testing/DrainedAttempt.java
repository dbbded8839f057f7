package io.asynq4j.testing;

import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that {@link TestQueues#drain} has made. Immutable.
 *
 * @param id the ID of the task
 * @param type the name of its type
 * @param retried number of retries before this attempt
 * @param maxRetry maximum number of retries
 * @param at the time of the test
 * @param outcome the outcome that was applied; null if the worker crashed
 * @param error why the attempt failed; null if it did not fail
 * @param fault the crash that the test requested; null if there was none
 */
public record DrainedAttempt(
    String id,
    QueueName queue,
    String type,
    int retried,
    int maxRetry,
    Instant at,
    @Nullable Outcome outcome,
    @Nullable Throwable error,
    @Nullable Fault fault) {

  /** Returns whether the attempt neither failed nor crashed. */
  public boolean succeeded() {
    return outcome != null
        && outcome.kind() != Outcome.Kind.RETRY
        && outcome.kind() != Outcome.Kind.ARCHIVE;
  }

  /** Returns one line. */
  @Override
  public String toString() {
    return "%s %s (queue %s, attempt %d of %d): %s"
        .formatted(type, id, queue, retried + 1, maxRetry + 1, result());
  }

  private String result() {
    if (outcome == null) {
      return "crashed, " + fault;
    } else if (outcome instanceof Outcome.Retry retry) {
      return "RETRY in " + retry.delay() + ": " + retry.reason();
    } else if (outcome instanceof Outcome.Archive archive) {
      return "ARCHIVE: " + archive.reason();
    } else if (outcome instanceof Outcome.Snooze snooze) {
      return "SNOOZE for " + snooze.delay();
    }
    return outcome.kind().name();
  }
}
