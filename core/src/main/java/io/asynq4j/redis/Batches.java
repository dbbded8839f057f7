package io.asynq4j.redis;

import java.util.ArrayList;
import java.util.List;

/** Splits long lists, so that no script keeps Redis for long. */
final class Batches {

  /**
   * The most tasks that one call carries. With more, hardly more go through, and a call keeps all
   * others waiting for longer.
   */
  static final int MAX = 50;

  private Batches() {}

  static <T> List<List<T>> of(List<T> all) {
    return of(all, MAX);
  }

  static <T> List<List<T>> of(List<T> all, int max) {
    if (all.size() <= max) {
      return all.isEmpty() ? List.of() : List.of(all);
    }
    List<List<T>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += max) {
      batches.add(all.subList(from, Math.min(from + max, all.size())));
    }
    return batches;
  }
}
