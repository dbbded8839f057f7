package io.asynq4j.cli;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueSnapshot;
import java.util.Locale;

/** How a queue is doing, in one line. */
final class StatusLine {

  private StatusLine() {}

  static String of(QueueSnapshot stats, double perSecond) {
    return String.format(
        Locale.ROOT,
        "%s: %,d pending | %,d active | %,.1f processed/s | %,d failed | %,d retry | %,d processed%s",
        stats.queue(),
        stats.size(TaskState.PENDING),
        stats.size(TaskState.ACTIVE),
        perSecond,
        stats.failed(),
        stats.size(TaskState.RETRY),
        stats.processed(),
        stats.paused() ? " | PAUSED" : "");
  }
}
