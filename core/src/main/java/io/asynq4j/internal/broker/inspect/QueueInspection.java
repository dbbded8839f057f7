package io.asynq4j.internal.broker.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.QueueSnapshot;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the names, sizes, counters, groups and servers of queues. Thread-safe. */
public interface QueueInspection {

  /** Returns the names of all queues, sorted. */
  Set<String> names();

  /** Throws a {@code QueueNotFoundException} if nothing was ever enqueued into the queue. */
  void requireQueue(QueueName queue);

  /** Returns the sizes and counters of a queue at one instant. */
  QueueSnapshot snapshot(QueueName queue);

  /**
   * Returns the snapshot without checking that the queue exists: in a cluster, another server may
   * have the queue names. A missing queue is empty.
   */
  QueueSnapshot listedSnapshot(QueueName queue);

  /** Returns since when the queue is paused; empty if it is not. */
  Optional<Instant> pausedSince(QueueName queue);

  /** Returns the estimated memory usage of a queue; empty if Redis does not report it. */
  OptionalLong memoryUsage(QueueName queue);

  /** Returns the counters of the last days, today first, by UTC date. */
  List<DailyStats> history(QueueName queue, int days);

  record DailyStats(LocalDate date, long processed, long failed) {}

  /** Returns groups with their number of waiting tasks; -1 if a group cannot be read. */
  Map<String, Long> groupSizes(QueueName queue);

  /** Returns the Redis Cluster slot of a queue. */
  int slot(QueueName queue);

  /**
   * Returns the nodes that serve the slot of a queue, as host:port, the primary first. Empty
   * without a cluster.
   */
  List<String> nodes(QueueName queue);

  /** Returns the output of {@code INFO}. */
  Map<String, String> redisInfo();
}
