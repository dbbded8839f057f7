package io.asynq4j.server;

import io.asynq4j.TaskOptions;
import io.asynq4j.broker.TaskMessage;
import java.time.Duration;
import java.time.Instant;

/** When an attempt must be over. */
final class Deadlines {

  /** The protocol allows timeouts that reach beyond all calendars. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Deadlines() {}

  /** The timeout counts anew for each attempt, the deadline does not; the earlier one holds. */
  static Instant of(TaskMessage message, Instant now) {
    Instant deadline = message.deadline();
    if (message.timeout().isZero()) {
      return deadline == null ? now.plus(TaskOptions.DEFAULT_TIMEOUT) : deadline;
    }
    Instant end = now.plus(message.timeout().compareTo(LONGEST) > 0 ? LONGEST : message.timeout());
    return deadline == null || end.isBefore(deadline) ? end : deadline;
  }
}
