package io.asynq4j;

import io.asynq4j.internal.codec.TextValidator;

/**
 * The name of a queue: case-sensitive, kept exactly as given, not blank. Immutable.
 *
 * <p>A name that starts with a closing brace is rejected, because the keys of such a queue would be
 * in different slots of a Redis Cluster.
 */
public record QueueName(String value) implements Comparable<QueueName> {

  /** The queue of tasks without a queue option. */
  public static final QueueName DEFAULT = new QueueName("default");

  public QueueName {
    TextValidator.requireName(value, "queue name");
    if (value.startsWith("}")) {
      throw new IllegalArgumentException(
          "queue name must not begin with '}', since its keys would fall into different slots of a cluster: \"%s\""
              .formatted(value));
    }
  }

  public static QueueName of(String value) {
    return new QueueName(value);
  }

  @Override
  public int compareTo(QueueName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
