package io.asynq4j.dashboard.internal.live;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A value that is read only at intervals and kept in between. Not thread-safe. */
final class PeriodicValue<T> {

  private final Duration interval;
  private T value;
  private @Nullable Long setNanos;

  PeriodicValue(Duration interval, T initial) {
    this.interval = interval;
    this.value = initial;
  }

  /** Whether the value was never set, or was set longer ago than the interval. */
  boolean isDue() {
    return setNanos == null || System.nanoTime() - setNanos > interval.toNanos();
  }

  void set(T newValue) {
    value = newValue;
    setNanos = System.nanoTime();
  }

  T get() {
    return value;
  }
}
