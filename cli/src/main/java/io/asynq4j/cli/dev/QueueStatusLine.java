package io.asynq4j.cli.dev;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Summary of queues in one line. */
final class QueueStatusLine {

  private QueueStatusLine() {}

  static String of(List<QueueSnapshot> queues, double perSecond) {
    String paused =
        queues.stream()
            .filter(QueueSnapshot::paused)
            .map(QueueSnapshot::queue)
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%,d pending | %,d active | %,.1f processed/s | %,d retry | %,d archived | %,d done%s",
        sum(queues, TaskState.PENDING),
        sum(queues, TaskState.ACTIVE),
        perSecond,
        sum(queues, TaskState.RETRY),
        sum(queues, TaskState.ARCHIVED),
        queues.stream().mapToLong(queue -> queue.processed() - queue.failed()).sum(),
        paused.isEmpty() ? "" : " | PAUSED: " + paused);
  }

  private static long sum(List<QueueSnapshot> queues, TaskState state) {
    return queues.stream().mapToLong(queue -> queue.size(state)).sum();
  }
}
