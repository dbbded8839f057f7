package io.asynq4j.cli.task.option;

import io.asynq4j.cli.command.CliException;
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
          "Time at which the task becomes due, e.g. 2030-01-31T08:00:00Z. A time without an offset is"
              + " local.")
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

  /** Throws a usage error if both options are set. */
  public void requireAtMostOne() {
    if (at != null && in != null) {
      throw CliException.usage(
          "--at and --in cannot be combined", "Pass --at TIME or --in DURATION, not both.");
    }
  }

  /** Throws a usage error unless exactly one option is set. */
  public void requireOne() {
    requireAtMostOne();
    if (at == null && in == null) {
      throw CliException.usage("Missing option --at or --in", "Pass --at TIME or --in DURATION.");
    }
  }
}
