package io.asynq4j.internal.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the number of distinct values of a label: the first values keep their name, all later ones
 * become {@value #OTHER}. Thread-safe.
 */
public final class LabelLimiter {

  public static final String OTHER = "other";

  private final int most;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  public LabelLimiter(int most) {
    this.most = most;
  }

  public String of(String value) {
    if (known.contains(value)) {
      return value;
    }
    // Two concurrent threads may exceed the limit by one, which is harmless.
    if (known.size() >= most) {
      return OTHER;
    }
    known.add(value);
    return value;
  }
}
