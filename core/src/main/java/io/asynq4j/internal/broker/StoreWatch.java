package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Detects which queues have work, cheaply even for thousands of queues. Thread-safe. */
public interface StoreWatch {

  /** The observable parts of a queue. */
  enum QueuePart {
    PENDING,
    /** Exists while the queue is paused. */
    PAUSED,
    SCHEDULED,
    RETRY,
    ACTIVE,
    LEASE,
    COMPLETED,
    ARCHIVED,
    GROUPS,
    AGGREGATION_SETS,
    /** Exists while aggregated tasks wait to be deleted. */
    SPENT
  }

  /**
   * Returns a name of the Redis server that has a queue, from cached data only; never fails. Empty
   * if one server has all queues, and while the servers are unknown. Queues without a server in the
   * cluster share a separate name.
   */
  default String shardOf(QueueName queue) {
    return "";
  }

  /** Groups the queues by server. */
  default Map<String, List<QueueName>> byShard(Collection<QueueName> queues) {
    return queues.stream()
        .collect(Collectors.groupingBy(this::shardOf, LinkedHashMap::new, Collectors.toList()));
  }

  /** Returns the queues that have entries in one of these parts. */
  Set<QueueName> having(Collection<QueueName> queues, Set<QueuePart> parts);

  /**
   * Returns for each part the queues that have entries in it. If no queue has entries in any part,
   * the usual case, this costs one query instead of one per part.
   */
  default Map<QueuePart, Set<QueueName>> havingEach(
      Collection<QueueName> queues, Set<QueuePart> parts) {
    Set<QueueName> some = having(queues, parts);
    Map<QueuePart, Set<QueueName>> each = new EnumMap<>(QueuePart.class);
    for (QueuePart part : parts) {
      each.put(part, some.isEmpty() ? Set.of() : having(some, EnumSet.of(part)));
    }
    return each;
  }

  /**
   * Starts a watch. Nothing is reported before {@link Watch#arm}. Returns at once, even while Redis
   * is down.
   */
  Watch watch(Listener listener);

  /** Called on a thread of the watch: must return quickly and must not call the watch. */
  interface Listener {

    /** The part of the queue has changed since it was armed; it is no longer armed. */
    void changed(QueueName queue, QueuePart part);

    /** Armed parts may be lost and changes may have been missed: check everything. */
    void lost();
  }

  /** A running watch; thread-safe. */
  interface Watch extends AutoCloseable {

    /**
     * Arms the parts: the next change to any of them is reported once. Returns the queues that have
     * entries in one of the parts now. A change before the reply is part of the reply; a later one
     * is reported.
     */
    Set<QueueName> arm(Collection<QueueName> queues, Set<QueuePart> parts);

    /** Returns whether Redis reports changes; if not, the caller has to poll. */
    boolean isLive();

    @Override
    void close();
  }
}
