package io.asynq4j.internal.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.QueueStats;

/** Reads the snapshot of one queue. Thread-safe. */
public final class QueueSnapshotReader {

  private final Inspection inspection;
  private final QueueName queue;

  public QueueSnapshotReader(Inspection inspection, QueueName queue) {
    this.inspection = inspection;
    this.queue = queue;
  }

  public QueueSnapshot read() {
    return snapshot(inspection.stats(queue));
  }

  /** Reads the snapshot without checking that the queue exists. */
  public QueueSnapshot readListed() {
    return snapshot(inspection.statsOfListed(queue));
  }

  private QueueSnapshot snapshot(QueueStats stats) {
    return QueueSnapshot.builder(queue.value(), stats.at())
        .sizes(stats.sizes())
        .groups(stats.groups())
        .processedToday(stats.processedToday())
        .failedToday(stats.failedToday())
        .processed(stats.processed())
        .failed(stats.failed())
        .oldestPendingSince(stats.oldestPendingSince())
        .pausedSince(stats.paused() ? inspection.pausedSince(queue).orElse(stats.at()) : null)
        .build();
  }
}
