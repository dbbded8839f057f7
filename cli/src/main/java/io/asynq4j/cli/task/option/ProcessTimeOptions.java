package io.asynq4j.cli.task.option;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A time, or a delay from now. */
public final class ProcessTimeOptions {

  @Option(
      names = {"--at", "--process_at", "--process-at"},
      paramLabel = "TIME",
      description =
          "Time at which the task becomes due, e.g. 2030-01-31T08:00:00Z; local time without an"
              + " offset.")
  private @Nullable Instant at;

  @Option(
      names = {"--in", "--process_in", "--process-in"},
      paramLabel = "DURATION",
      description = "Delay until the task becomes due, e.g. 90s or 1h30m.")
  private @Nullable Duration in;

  public @Nullable Instant at() {
    return at;
  }

  public @Nullable Duration in() {
    return in;
  }

  /** Returns the selected time, relative to now; now itself if neither option is set. */
  public Instant from(Instant now) {
    return at != null ? at : in != null ? now.plus(in) : now;
  }

  public boolean isGiven() {
    return at != null || in != null;
  }

  public boolean isContradictory() {
    return at != null && in != null;
  }
}
