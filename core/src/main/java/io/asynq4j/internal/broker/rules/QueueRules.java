package io.asynq4j.internal.broker.rules;

import io.asynq4j.QueueSettings;
import io.asynq4j.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a queue over all servers, as configured; what an operator has set in Redis wins.
 *
 * @param maxActive how many tasks may run at once; 0 = as many as there are workers
 * @param ordered one at a time, first in, first out, and a task that fails holds the line
 * @param rate how many may begin in how long; null = any number
 */
public record QueueRules(int maxActive, boolean ordered, @Nullable RateLimit rate) {

  public static final QueueRules NONE = new QueueRules(0, false);

  public QueueRules {
    if (maxActive < 0) {
      throw new IllegalArgumentException("maxActive must not be negative: " + maxActive);
    }
  }

  /** The limits among the settings of a queue. */
  public static QueueRules of(QueueSettings settings) {
    return new QueueRules(
        settings.isOrdered() ? 0 : settings.maxActive(),
        settings.isOrdered(),
        settings.rateLimit());
  }

  public QueueRules(int maxActive, boolean ordered) {
    this(maxActive, ordered, null);
  }
}
