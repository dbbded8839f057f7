package io.asynq4j.cli.command;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.text.DurationFormat;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.function.ToIntFunction;

/**
 * Repeats a command at an interval: redraws in place on a terminal, appends elsewhere. Ends on
 * Ctrl-C or when its thread is interrupted. If Redis fails, it shows the error and continues.
 */
final class WatchMode {

  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final String HOME = "\033[H";
  private static final String CLEAR = "\033[2J" + HOME;
  private static final String END_OF_LINE = "\033[K\n";
  private static final String END_OF_SCREEN = "\033[J";

  private final CliEnvironment environment;
  private final String name;
  private final Duration every;

  WatchMode(CliEnvironment environment, String name, Duration every) {
    if (every.compareTo(SHORTEST) < 0) {
      throw CliException.usage(
          "--watch must be at least 100ms, got " + DurationFormat.approximate(every), null);
    }
    this.environment = environment;
    this.name = name;
    this.every = every;
  }

  int run(ToIntFunction<PrintStream> show) {
    PrintStream out = environment.out();
    if (environment.terminal()) {
      out.print(CLEAR);
    }
    while (true) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int exitCode;
      try (PrintStream page = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
        exitCode = show.applyAsInt(page);
      } catch (BrokerUnavailableException e) {
        exitCode = ExitCode.CANNOT_CONNECT;
        bytes.reset();
        report(e, bytes);
      }
      String text = bytes.toString(StandardCharsets.UTF_8);
      if (environment.terminal()) {
        out.print(HOME + (title() + "\n\n" + text).replace("\n", END_OF_LINE) + END_OF_SCREEN);
      } else {
        out.print(text);
      }
      out.flush();
      try {
        Thread.sleep(every.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return exitCode;
      }
    }
  }

  /** On a terminal in place of the output; else on the error output, so that programs can parse. */
  private void report(BrokerUnavailableException outage, ByteArrayOutputStream page) {
    String text = "Redis does not respond: " + outage.getMessage();
    if (environment.terminal()) {
      page.writeBytes((text + "\n").getBytes(StandardCharsets.UTF_8));
    } else {
      environment.err().println("asynq: " + text);
    }
  }

  // Local time of the user; tasks use the time of Redis.
  private String title() {
    return "%s, every %s, at %s; press Ctrl-C to stop"
        .formatted(
            name,
            DurationFormat.approximate(every),
            LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS));
  }
}
