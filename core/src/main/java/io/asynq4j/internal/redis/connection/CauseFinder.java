package io.asynq4j.internal.redis.connection;

import org.jspecify.annotations.Nullable;

/**
 * Looks for what happened: Jedis hides it behind causes, and where it tried several hosts, beside.
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
