package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task taken together with the lease on it.
 *
 * @param token proves to Redis that the lease is this worker's
 * @param leasedUntil when the lease ends unless it is extended
 * @param pendingSince since when it had been waiting to be claimed; null when that is not known
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
