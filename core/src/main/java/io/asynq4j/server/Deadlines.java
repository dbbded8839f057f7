package io.asynq4j.server;

import io.asynq4j.broker.TaskMessage;
import java.time.Instant;

/** When an attempt must be over. */
final class Deadlines {

  private Deadlines() {}

  static Instant of(TaskMessage message, Instant now) {
    return message.endOfAttempt(now);
  }
}
