package io.asynq4j.broker;

/**
 * Limits of a queue over all servers, as configured; what an operator has set in Redis wins.
 *
 * @param maxActive how many tasks may run at once; 0 = as many as there are workers
 * @param ordered one at a time, first in, first out, and a task that fails holds the line
 */
public record QueueRules(int maxActive, boolean ordered) {

  public static final QueueRules NONE = new QueueRules(0, false);

  public QueueRules {
    if (maxActive < 0) {
      throw new IllegalArgumentException("maxActive must not be negative: " + maxActive);
    }
  }
}
