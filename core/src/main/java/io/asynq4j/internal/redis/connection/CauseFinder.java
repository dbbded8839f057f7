package io.asynq4j.internal.redis.connection;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the original failure, which Jedis hides in causes and, after trying several hosts, in
 * suppressed exceptions.
 */
final class CauseFinder {

  private CauseFinder() {}

  static <T extends Throwable> @Nullable T find(Class<T> kind, Throwable e) {
    return all(e).filter(kind::isInstance).map(kind::cast).findFirst().orElse(null);
  }

  /** Returns the failure itself, its causes and what these suppressed. */
  static Stream<Throwable> all(@Nullable Throwable e) {
    if (e == null) {
      return Stream.empty();
    }
    Stream<Throwable> suppressed = Stream.of(e.getSuppressed()).flatMap(CauseFinder::all);
    return Stream.concat(Stream.of(e), Stream.concat(all(e.getCause()), suppressed));
  }
}
