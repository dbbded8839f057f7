package io.asynq4j.broker;

import io.asynq4j.QueueName;
import java.time.Instant;

/**
 * A task taken together with the lease on it.
 *
 * @param token proves to Redis that the lease is this worker's
 * @param leasedUntil when the lease ends unless it is extended
 */
public record Claim(TaskMessage message, String token, Instant leasedUntil) {

  public String id() {
    return message.id();
  }

  public QueueName queue() {
    return message.queue();
  }
}
