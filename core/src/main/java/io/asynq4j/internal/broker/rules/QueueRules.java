package io.asynq4j.internal.broker.rules;

import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RateLimit;
import java.util.Map;
import java.util.function.Consumer;
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

  /** Changes the settings of a queue. If one is invalid, the exception names the queue. */
  public static void configure(
      Map<QueueName, QueueSettings> queues, QueueName name, Consumer<QueueSettings> settings) {
    try {
      settings.accept(queues.computeIfAbsent(name, any -> new QueueSettings()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("queue \"" + name + "\": " + e.getMessage(), e);
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
