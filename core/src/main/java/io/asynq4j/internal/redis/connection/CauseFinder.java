package io.asynq4j.internal.redis.connection;

import org.jspecify.annotations.Nullable;

/**
 * Finds the original failure, which Jedis hides in causes and, after trying several hosts, in
 * suppressed exceptions.
 */
final class CauseFinder {

  private CauseFinder() {}

  static <T extends Throwable> @Nullable T find(Class<T> kind, @Nullable Throwable e) {
    if (e == null || kind.isInstance(e)) {
      return kind.cast(e);
    }
    T found = find(kind, e.getCause());
    for (Throwable suppressed : e.getSuppressed()) {
      found = found != null ? found : find(kind, suppressed);
    }
    return found;
  }
}
