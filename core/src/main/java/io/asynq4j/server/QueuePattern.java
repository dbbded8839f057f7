package io.asynq4j.server;

import io.asynq4j.QueueName;
import java.util.regex.Pattern;

/**
 * Queues by the look of their names: {@code *} stands for anything, also for nothing.
 *
 * @param glob such as {@code tenant-*}
 */
record QueuePattern(String glob, Pattern pattern, int weight) {

  static QueuePattern of(String glob, int weight) {
    if (glob.indexOf('*') < 0) {
      throw new IllegalArgumentException(
          "a pattern of queues needs a *: \"%s\"; queue(name, weight) is for one".formatted(glob));
    }
    if (weight < 1) {
      throw new IllegalArgumentException(
          "the weight of queues %s must be 1 or more: %d".formatted(glob, weight));
    }
    StringBuilder regex = new StringBuilder();
    for (String part : glob.split("\\*", -1)) {
      regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(part));
    }
    return new QueuePattern(glob, Pattern.compile(regex.toString(), Pattern.DOTALL), weight);
  }

  boolean matches(QueueName queue) {
    return pattern.matcher(queue.value()).matches();
  }
}
