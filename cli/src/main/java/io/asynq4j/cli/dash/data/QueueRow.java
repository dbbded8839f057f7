package io.asynq4j.cli.dash.data;

import io.asynq4j.inspect.QueueSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Data of a queue. Immutable.
 *
 * @param snapshot null if it is not loaded yet
 * @param memory in bytes; negative if unknown
 * @param problem why the queue cannot be read; null if it can
 */
public record QueueRow(
    String name,
    @Nullable QueueSnapshot snapshot,
    long memory,
    Trend trend,
    @Nullable String problem) {

  public static final long UNKNOWN = -1;

  static QueueRow unseen(String name) {
    return new QueueRow(name, null, UNKNOWN, Trend.NONE, null);
  }

  public long size() {
    return snapshot == null ? 0 : snapshot.size();
  }

  public boolean isPaused() {
    return snapshot != null && snapshot.paused();
  }
}
