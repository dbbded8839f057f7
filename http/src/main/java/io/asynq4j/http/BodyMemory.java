package io.asynq4j.http;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the bytes of bodies in memory, in total and by caller, so that one caller cannot use the
 * memory of all others. Thread-safe.
 */
final class BodyMemory {

  // All guarded by this.
  private final Map<BodyCaller, Long> byCaller = new HashMap<>();
  private long held;
  private long ofUnverified;

  synchronized long held() {
    return held;
  }

  /** Reserves bytes. Returns false if the limit would be exceeded; then nothing is reserved. */
  synchronized boolean tryHold(BodyCaller caller, int bytes, BodyLimits limits) {
    long own = byCaller.getOrDefault(caller, 0L) + bytes;
    if (held + bytes > limits.total() || own > maxOf(caller, limits)) {
      return false;
    }
    boolean isUnverified = caller.kind() == BodyCaller.Kind.UNVERIFIED;
    if (isUnverified && ofUnverified + bytes > limits.ofUnverified()) {
      return false;
    }
    add(caller, bytes);
    return true;
  }

  private static long maxOf(BodyCaller caller, BodyLimits limits) {
    return switch (caller.kind()) {
      case UNVERIFIED -> limits.largest();
      case VERIFIED -> limits.perCaller();
      case ALONE -> limits.total();
    };
  }

  synchronized void release(BodyCaller caller, int bytes) {
    add(caller, -bytes);
  }

  private void add(BodyCaller caller, int bytes) {
    held += bytes;
    if (caller.kind() == BodyCaller.Kind.UNVERIFIED) {
      ofUnverified += bytes;
    }
    long now = byCaller.getOrDefault(caller, 0L) + bytes;
    if (now == 0) {
      byCaller.remove(caller);
    } else {
      byCaller.put(caller, now);
    }
  }
}
