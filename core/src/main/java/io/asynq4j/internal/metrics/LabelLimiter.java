package io.asynq4j.internal.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the number of different values of a label within bounds: the first so many are told by
 * their name, all later ones together as {@value #OTHER}. Thread-safe.
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
    // Two threads at once may let one too many in, which does no harm.
    if (known.size() >= most) {
      return OTHER;
    }
    known.add(value);
    return value;
  }
}
