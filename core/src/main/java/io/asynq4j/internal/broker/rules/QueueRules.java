package io.asynq4j.internal.broker.rules;

import io.asynq4j.QueueSettings;
import io.asynq4j.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Configured limits of a queue over all servers. Settings by an operator in Redis take precedence.
 *
 * @param maxActive maximum number of active tasks; 0 = limited by the workers only
 * @param ordered one task at a time, first in, first out; a failed task blocks the queue
 * @param rate how many tasks may start per period; null = any number
 */
public record QueueRules(int maxActive, boolean ordered, @Nullable RateLimit rate) {

  public static final QueueRules NONE = new QueueRules(0, false);

  public QueueRules {
    if (maxActive < 0) {
      throw new IllegalArgumentException("maxActive must be 0 or greater, got " + maxActive);
    }
  }

  /** Returns the limits from the settings of a queue. */
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
