package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claimed task and its lease.
 *
 * @param token proves to Redis that the lease belongs to this worker
 * @param leasedUntil when the lease ends unless it is extended
 * @param pendingSince since when it had been waiting to be claimed; null if unknown
 */
public record Claim(
    TaskMessage message, String token, Instant leasedUntil, @Nullable Instant pendingSince) {

  public Claim(TaskMessage message, String token, Instant leasedUntil) {
    this(message, token, leasedUntil, null);
  }

  public String id() {
    return message.id();
  }

  public QueueName queue() {
    return message.queue();
  }
}
