package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.broker.rules.QueueRules;

/**
 * The current limits of queues: as configured, unless an operator has set others in Redis.
 * Thread-safe.
 */
public record EffectiveQueueLimits(ServerConfig config, QueueControl queues) {

  /**
   * Returns whether a queue has limits, so that a task keeps its lease until its handler has
   * returned. Calls Redis.
   */
  public boolean apply(QueueName queue) {
    QueueRules rules = config.rulesOf(queue);
    QueueLimits set = queues.limits(queue);
    RateLimit rate = set.rate().orElse(rules.rate());
    return set.maxActive().orElse(rules.maxActive()) > 0
        || set.ordered().orElse(rules.ordered())
        || (rate != null && !rate.isUnlimited());
  }

  /** Returns whether a queue has configured limits, without calling Redis. */
  public boolean areConfigured(QueueName queue) {
    return !config.rulesOf(queue).equals(QueueRules.NONE);
  }
}
