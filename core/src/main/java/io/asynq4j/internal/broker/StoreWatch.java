package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sees from afar whether a queue has something to do, cheaply also for thousands of queues.
 * Thread-safe.
 */
public interface StoreWatch {

  /** What of a queue can be looked at. */
  enum QueuePart {
    PENDING,
    /** There while the queue is paused. */
    PAUSED,
    SCHEDULED,
    RETRY,
    ACTIVE,
    LEASE,
    COMPLETED,
    ARCHIVED,
    GROUPS,
    AGGREGATION_SETS,
    /** There while tasks that became part of another one wait to be swept. */
    SPENT
  }

  /**
   * A name of the server of Redis that has a queue, as far as it is known: never asks, and never
   * fails. Empty where one server has all queues, and while nothing is known of the servers. Queues
   * that no server of a cluster has at this time share a name of their own.
   */
  default String shardOf(QueueName queue) {
    return "";
  }

  /** The queues by their servers. */
  default Map<String, List<QueueName>> byShard(Collection<QueueName> queues) {
    Map<String, List<QueueName>> shards = new LinkedHashMap<>();
    for (QueueName queue : queues) {
      shards.computeIfAbsent(shardOf(queue), any -> new ArrayList<>()).add(queue);
    }
    return shards;
  }

  /** Those of the queues that have something in one of these parts. */
  Set<QueueName> having(Collection<QueueName> queues, Set<QueuePart> parts);

  /**
   * For each of these parts, those of the queues that have something in it. Where none has anything
   * in any, as mostly, this costs one question instead of one for each part.
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
   * Begins to watch. Nothing is told before something has been armed. Returns at once, also while
   * Redis is down.
   */
  Watch watch(Listener listener);

  /** Called on a thread of the watch: it must be quick, and must not call the watch. */
  interface Listener {

    /** This part of this queue has changed since it was armed; it is no longer armed. */
    void changed(QueueName queue, QueuePart part);

    /** What was armed may be no longer, and something may have changed: look at everything. */
    void lost();
  }

  /** A running watch; thread-safe. */
  interface Watch extends AutoCloseable {

    /**
     * From now on, the next change to any of these parts is told, once. Returns those of the queues
     * that have something in one of the parts now: a change before the answer is in the answer, one
     * after it is told.
     */
    Set<QueueName> arm(Collection<QueueName> queues, Set<QueuePart> parts);

    /** Whether Redis tells of changes; when not, somebody has to look from time to time. */
    boolean isLive();

    @Override
    void close();
  }
}
