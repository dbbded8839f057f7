package io.asynq4j.internal.server.config;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.QueueName;
import io.asynq4j.internal.text.Glob;

/**
 * A pattern of queue names: {@code *} matches any characters, or none.
 *
 * @param glob such as {@code tenant-*}
 */
public record QueuePattern(Glob glob, int weight) {

  public static QueuePattern of(String text, int weight) {
    require(
        text.indexOf('*') >= 0,
        "a queue pattern needs a *, got \"%s\": use queue(name, weight) for a single queue"
            .formatted(text));
    requireAtLeast(1, weight, "the weight of queues " + text);
    return new QueuePattern(Glob.of(text), weight);
  }

  boolean matches(QueueName queue) {
    return glob.matches(queue.value());
  }
}
