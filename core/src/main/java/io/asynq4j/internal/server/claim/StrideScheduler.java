package io.asynq4j.internal.server.claim;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Shares free workers among ready queues by weight. Each queue has a pass that grows with its
 * allotted workers, more slowly for heavier queues, and the lowest pass comes first. The cost
 * hardly grows with the number of queues. Not thread-safe.
 */
public class StrideScheduler {

  /**
   * Up to this many queues share every round. Of more queues, only some do, with this many workers
   * each, and the others follow: a call for one task costs nearly as much as one for many.
   */
  private static final int FEW_QUEUES = 8;

  private static final int LEAST_SHARE = 50;

  private final boolean strict;
  private final NavigableSet<QueueClaimState> ready;
  private long entries;
  private double now;

  /**
   * @param strict whether a heavier queue always comes first
   */
  public StrideScheduler(boolean strict) {
    this.strict = strict;
    Comparator<QueueClaimState> order =
        strict
            ? Comparator.comparingInt(queue -> -queue.weight())
            : Comparator.comparingDouble(queue -> queue.pass);
    this.ready = new TreeSet<>(order.thenComparingLong(queue -> queue.entry));
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  int size() {
    return ready.size();
  }

  boolean contains(QueueClaimState queue) {
    return ready.contains(queue);
  }

  /** Adds a ready queue. An unused share from the time without tasks is lost. */
  void enter(QueueClaimState queue) {
    if (!ready.contains(queue)) {
      queue.pass = Math.max(queue.pass, now);
      queue.entry = ++entries;
      ready.add(queue);
    }
  }

  /** Removes a queue without tasks. */
  void leave(QueueClaimState queue) {
    ready.remove(queue);
  }

  void removeIf(Predicate<QueueClaimState> gone) {
    ready.removeIf(gone);
  }

  /** Returns the number of workers for each queue, in the order of the claims. */
  Map<QueueClaimState, Integer> share(int free) {
    return strict ? strictly(free) : byWeight(free);
  }

  private Map<QueueClaimState, Integer> byWeight(int free) {
    int count = ready.size() <= FEW_QUEUES ? ready.size() : Math.max(1, free / LEAST_SHARE);
    PriorityQueue<QueueClaimState> byPass =
        new PriorityQueue<>(Comparator.comparingDouble(queue -> queue.pass));
    for (int i = 0; i < count; i++) {
      byPass.add(ready.pollFirst());
    }
    Map<QueueClaimState, Integer> shares = new LinkedHashMap<>();
    for (int i = 0; i < free && !byPass.isEmpty(); i++) {
      QueueClaimState next = byPass.remove();
      now = Math.max(now, next.pass);
      next.pass += 1.0 / next.weight();
      shares.merge(next, 1, Integer::sum);
      byPass.add(next);
    }
    ready.addAll(byPass);
    return shares;
  }

  /** Offers all workers to the heaviest queue; the next ones get what it leaves. */
  private Map<QueueClaimState, Integer> strictly(int free) {
    Map<QueueClaimState, Integer> shares = new LinkedHashMap<>();
    for (QueueClaimState queue : ready) {
      shares.put(queue, free);
      // Each of them has at least one task, as far as known.
      if (shares.size() >= Math.max(free, FEW_QUEUES)) {
        break;
      }
    }
    return shares;
  }

  /** Returns workers that a queue was given and did not use. */
  void refund(QueueClaimState queue, int unused) {
    if (unused != 0) {
      boolean wasReady = ready.remove(queue);
      queue.pass -= (double) unused / queue.weight();
      if (wasReady) {
        ready.add(queue);
      }
    }
  }
}
