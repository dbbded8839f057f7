package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.Map;

/** The rules of leases: their duration, and the queues and archives that a builder was given. */
record LeaseRules(Map<QueueName, QueueRules> queues, ArchiveRules archive) {

  static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);

  LeaseRules {
    queues = Map.copyOf(queues);
  }

  static void requireDuration(Duration lease) {
    TimeMath.requireBetween("a lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
  }

  QueueRules of(QueueName queue) {
    return queues.getOrDefault(queue, QueueRules.NONE);
  }
}
