package io.asynq4j.internal.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Splits long lists, so that no call blocks Redis for long. */
public final class BatchSplitter {

  /**
   * Maximum number of tasks per call. Larger calls hardly raise throughput and delay other clients
   * longer.
   */
  public static final int MAX = 50;

  private BatchSplitter() {}

  public static <T> List<List<T>> of(List<T> all) {
    return of(all, MAX);
  }

  public static <T> List<List<T>> of(List<T> all, int max) {
    return of(all, max, Long.MAX_VALUE, each -> 0);
  }

  /**
   * Splits a list into batches of at most {@code max} elements and {@code maxBytes} bytes. An
   * element larger than that gets its own batch.
   */
  public static <T> List<List<T>> of(List<T> all, int max, long maxBytes, ToLongFunction<T> size) {
    List<List<T>> batches = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < all.size(); i++) {
      long more = size.applyAsLong(all.get(i));
      if (i > from && (i - from == max || bytes + more > maxBytes)) {
        batches.add(all.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += more;
    }
    if (from < all.size()) {
      batches.add(all.subList(from, all.size()));
    }
    return batches;
  }
}
