package io.asynq4j.internal.server.claim;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Shares free workers among ready queues by weight. Each queue has a pass that grows with its
 * allotted workers, more slowly for heavier queues, and the lowest pass comes first. The cost
 * hardly grows with the number of queues. Not thread-safe.
 */
final class StrideScheduler<T> {

  /**
   * Up to this many queues share every round. Of more queues, only some do, with this many workers
   * each, and the others follow: a call for one task costs nearly as much as one for many.
   */
  private static final int FEW_QUEUES = 8;

  private static final int LEAST_SHARE = 50;

  private final boolean strict;
  private final ToIntFunction<T> weights;
  private final Map<T, Turn<T>> turns = new HashMap<>();
  private final NavigableSet<Turn<T>> ready;
  private long entries;
  private double now;

  StrideScheduler(boolean strict, ToIntFunction<T> weights) {
    this.strict = strict;
    this.weights = weights;
    Comparator<Turn<T>> order =
        strict
            ? Comparator.comparingInt(turn -> -turn.weight)
            : Comparator.comparingDouble(turn -> turn.pass);
    this.ready = new TreeSet<>(order.thenComparingLong(turn -> turn.entry));
  }

  /** The position of a queue; changed only while the queue is not ready. */
  private static final class Turn<T> {
    final T queue;
    final int weight;
    double pass;
    long entry;

    Turn(T queue, int weight) {
      this.queue = queue;
      this.weight = weight;
    }
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  int size() {
    return ready.size();
  }

  boolean contains(T queue) {
    Turn<T> turn = turns.get(queue);
    return turn != null && ready.contains(turn);
  }

  /** Adds a ready queue. An unused share from the time without tasks is lost. */
  void enter(T queue) {
    Turn<T> turn =
        turns.computeIfAbsent(queue, any -> new Turn<>(queue, weights.applyAsInt(queue)));
    if (!ready.contains(turn)) {
      turn.pass = Math.max(turn.pass, now);
      turn.entry = ++entries;
      ready.add(turn);
    }
  }

  /** Removes a queue without tasks. */
  void leave(T queue) {
    Turn<T> turn = turns.get(queue);
    if (turn != null) {
      ready.remove(turn);
    }
  }

  void forgetIf(Predicate<T> gone) {
    turns.keySet().removeIf(gone);
    ready.removeIf(turn -> gone.test(turn.queue));
  }

  /** Returns the number of workers for each queue, in the order of the claims. */
  Map<T, Integer> share(int free) {
    return strict ? strictly(free) : byWeight(free);
  }

  private Map<T, Integer> byWeight(int free) {
    int count = ready.size() <= FEW_QUEUES ? ready.size() : Math.max(1, free / LEAST_SHARE);
    PriorityQueue<Turn<T>> byPass =
        new PriorityQueue<>(Comparator.comparingDouble(turn -> turn.pass));
    for (int i = 0; i < count; i++) {
      byPass.add(ready.pollFirst());
    }
    Map<T, Integer> shares = new LinkedHashMap<>();
    for (int i = 0; i < free && !byPass.isEmpty(); i++) {
      Turn<T> next = byPass.remove();
      now = Math.max(now, next.pass);
      next.pass += 1.0 / next.weight;
      shares.merge(next.queue, 1, Integer::sum);
      byPass.add(next);
    }
    ready.addAll(byPass);
    return shares;
  }

  /** Offers all workers to the heaviest queue; the next ones get what it leaves. */
  private Map<T, Integer> strictly(int free) {
    Map<T, Integer> shares = new LinkedHashMap<>();
    for (Turn<T> turn : ready) {
      shares.put(turn.queue, free);
      // Each of them has at least one task, as far as known.
      if (shares.size() >= Math.max(free, FEW_QUEUES)) {
        break;
      }
    }
    return shares;
  }

  /** Returns workers that a queue was given and did not use. */
  void refund(T queue, int unused) {
    Turn<T> turn = turns.get(queue);
    if (turn != null && unused != 0) {
      boolean wasReady = ready.remove(turn);
      turn.pass -= (double) unused / turn.weight;
      if (wasReady) {
        ready.add(turn);
      }
    }
  }
}
