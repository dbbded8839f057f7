package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.internal.text.Glob;

/**
 * A pattern of queue names: {@code *} matches any characters, or none.
 *
 * @param glob such as {@code tenant-*}
 */
public record QueuePattern(Glob glob, int weight) {

  public static QueuePattern of(String text, int weight) {
    if (text.indexOf('*') < 0) {
      throw new IllegalArgumentException(
          "a queue pattern needs a *, got \"%s\": use queue(name, weight) for a single queue"
              .formatted(text));
    }
    if (weight < 1) {
      throw new IllegalArgumentException(
          "the weight of queues %s must be 1 or more, got %d".formatted(text, weight));
    }
    return new QueuePattern(Glob.of(text), weight);
  }

  boolean matches(QueueName queue) {
    return glob.matches(queue.value());
  }
}
