package io.asynq4j.internal.server.duty;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A periodic background job of a server.
 *
 * @param interval the delay until the next run after a failure
 * @param action runs the job and returns the delay until the next run; may throw
 */
public record Duty(String name, Duration interval, Supplier<Duration> action) {

  /** Creates a duty that runs at a fixed interval. */
  public static Duty every(Duration interval, String name, Runnable job) {
    return new Duty(
        name,
        interval,
        () -> {
          job.run();
          return interval;
        });
  }
}
