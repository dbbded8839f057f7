package io.asynq4j.cli.dash;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.dash.terminal.Display;
import io.asynq4j.cli.dash.terminal.LanternaDisplay;
import io.asynq4j.cli.dash.terminal.LastLinesOutputStream;
import io.asynq4j.cli.settings.RedactedRedisUrl;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Terminal dashboard for queues, tasks, servers and schedules. */
@Command(
    name = "dash",
    description = "Show a live dashboard of queues, tasks, servers and schedules in the terminal.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dash",
      "  asynq dash --redis redis://10.0.0.5:6379/1 --interval 5s",
      "",
      "How it works:",
      "  Arrows or h j k l move, Enter opens, Esc or q goes back, / searches, ? lists all keys.",
      "  Pause, run, archive, delete and cancel ask for confirmation. If Redis does not respond, a red",
      "  line shows the error and the age of the data."
    })
public final class DashCommand extends LocalCommand {

  private static final Duration SHORTEST = Duration.ofMillis(200);

  @Option(
      names = {"--interval", "--refresh"},
      paramLabel = "DURATION",
      converter = IntervalConverter.class,
      description = "Refresh interval, e.g. 500ms, 5s or 1m; at least 200ms. Default: 2s.")
  private Duration interval = Duration.ofSeconds(2);

  @Option(
      names = "--ascii",
      description = "Draw with ASCII characters only. Default: only if the locale is not UTF-8.")
  private boolean ascii;

  /** Parses the refresh interval. */
  static final class IntervalConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        Duration interval = DurationFormat.parse(text);
        if (interval.compareTo(SHORTEST) < 0) {
          throw new TypeConversionException("the interval must be at least 200ms, got " + text);
        }
        return interval;
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

  @Override
  public boolean connects() {
    return true;
  }

  @Override
  public Integer call() throws Exception {
    RedisConfig config = options().connection().toBuilder().clientName("asynq-dash").build();
    requireTerminal();
    Map<String, String> variables = System.getenv();
    PrintStream out = System.out;
    PrintStream err = System.err;
    LastLinesOutputStream lines = new LastLinesOutputStream();
    try (RedisConnection connection = RedisConnection.lazy(config)) {
      DashEventLoop dashboard =
          new DashEventLoop(
              connection, RedactedRedisUrl.of(config), interval, ZoneId.systemDefault());
      // Log output of libraries would corrupt the screen.
      System.setOut(lines.stream());
      System.setErr(lines.stream());
      try (Display display =
          LanternaDisplay.open(
              options().useColors(), ascii || !hasUtf8(variables), dashboard::happen)) {
        dashboard.run(display);
      }
    } finally {
      System.setOut(out);
      System.setErr(err);
      lines.lines().forEach(err::println);
    }
    return 0;
  }

  /** Not all versions of Java can detect whether the input is a terminal; the shell can. */
  private static void requireTerminal() throws IOException, InterruptedException {
    boolean isTerminal = false;
    if (!System.getProperty("os.name", "").startsWith("Windows")) {
      Process test =
          new ProcessBuilder("/bin/sh", "-c", "test -t 0 && test -t 1")
              .redirectInput(Redirect.INHERIT)
              .redirectOutput(Redirect.INHERIT)
              .start();
      isTerminal = test.waitFor() == 0;
    }
    if (!isTerminal) {
      throw CliException.failed(
          "'asynq dash' needs a Unix terminal as its input and output (on Windows: WSL)",
          "Run it without pipes. In a container, allocate a terminal (-it).");
    }
  }

  /** Like the C library: the first variable that is set decides. */
  static boolean hasUtf8(Map<String, String> variables) {
    return Stream.of("LC_ALL", "LC_CTYPE", "LANG")
        .map(name -> variables.getOrDefault(name, ""))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .map(value -> value.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8"))
        .orElse(false);
  }
}
