package io.asynq4j.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Shares free workers among queues by their weights. Each queue has a pass that grows with what it
 * was given, the slower the heavier it is, and the lowest pass comes first. Not thread-safe.
 */
final class Stride {

  /**
   * So many queues share every round. Of more, only some do, with so many workers for each, and the
   * others follow: a call for one task costs nearly as much as one for many.
   */
  private static final int FEW_QUEUES = 8;

  private static final int LEAST_SHARE = 50;

  private final boolean strict;
  private double now;

  Stride(boolean strict) {
    this.strict = strict;
  }

  /** A queue that takes part. */
  static final class Turn {
    final int weight;
    private double pass;

    Turn(int weight) {
      this.weight = weight;
    }
  }

  /** Something to do has turned up: what a queue has not used while it had nothing is gone. */
  void enter(Turn turn) {
    turn.pass = Math.max(turn.pass, now);
  }

  /** How many workers each of these gets, in the order in which they are to be asked. */
  <T> Map<T, Integer> share(int free, Map<T, Turn> ready) {
    if (strict) {
      return strictly(free, ready);
    }
    List<Map.Entry<T, Turn>> first = lowest(ready, Math.max(1, free / LEAST_SHARE));
    PriorityQueue<Map.Entry<T, Turn>> byPass =
        new PriorityQueue<>(Comparator.comparingDouble(entry -> entry.getValue().pass));
    byPass.addAll(first);
    Map<T, Integer> shares = new LinkedHashMap<>();
    for (int i = 0; i < free && !byPass.isEmpty(); i++) {
      Map.Entry<T, Turn> next = byPass.remove();
      now = Math.max(now, next.getValue().pass);
      next.getValue().pass += 1.0 / next.getValue().weight;
      shares.merge(next.getKey(), 1, Integer::sum);
      byPass.add(next);
    }
    return shares;
  }

  /** The heaviest is offered everything; who comes after it gets what it has left. */
  private static <T> Map<T, Integer> strictly(int free, Map<T, Turn> ready) {
    Map<T, Integer> shares = new LinkedHashMap<>();
    ready.entrySet().stream()
        .sorted(Comparator.comparingInt(entry -> -entry.getValue().weight))
        .forEach(entry -> shares.put(entry.getKey(), free));
    return shares;
  }

  private static <T> List<Map.Entry<T, Turn>> lowest(Map<T, Turn> ready, int most) {
    if (ready.size() <= FEW_QUEUES) {
      return new ArrayList<>(ready.entrySet());
    }
    PriorityQueue<Map.Entry<T, Turn>> highestFirst =
        new PriorityQueue<>(
            Comparator.comparingDouble((Map.Entry<T, Turn> entry) -> entry.getValue().pass)
                .reversed());
    for (Map.Entry<T, Turn> entry : ready.entrySet()) {
      highestFirst.add(entry);
      if (highestFirst.size() > most) {
        highestFirst.remove();
      }
    }
    return new ArrayList<>(highestFirst);
  }

  /** A queue was given so many workers and had no use for them. */
  void refund(Turn turn, int unused) {
    turn.pass -= (double) unused / turn.weight;
  }
}
