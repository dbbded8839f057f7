package io.asynq4j.cli.dashboard;

import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.Failure;
import io.asynq4j.cli.frame.Interruption;
import io.asynq4j.cli.frame.LocalCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.settings.Place;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The metrics of all queues for Prometheus, until Ctrl-C. */
@Command(
    name = "exporter",
    description = "Serves the metrics of all queues for Prometheus, until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq exporter                                  # http://127.0.0.1:9876/metrics",
      "  asynq exporter --port 0 --redis redis://localhost:6379",
      "",
      "How it works:",
      "  Prometheus asks for /metrics; Redis is asked at most every 5 seconds, however many ask.",
      "  The names are those of asynq's own exporter, and beside them better ones, which",
      "  docs/metrics.md tells. It listens on 127.0.0.1, and elsewhere only with --credentials, as",
      "  'asynq dashboard' does: Prometheus logs in by basic_auth or a token. /health needs no login."
    })
public final class ExporterCommand extends LocalCommand {

  private static final String CREDENTIALS = "ASYNQ_DASHBOARD_CREDENTIALS";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where it listens; 0 = any free port. Default: ${DEFAULT-VALUE}")
  private int port = 9876;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "The address that it listens on; any but this machine's own needs credentials. Default:"
              + " ${DEFAULT-VALUE}")
  private String host = "127.0.0.1";

  @Option(
      names = "--credentials",
      paramLabel = "FILE",
      description = "Who may log in, by password or token. Also " + CREDENTIALS + ".")
  private @Nullable Path credentials;

  @Option(names = "--for", paramLabel = "DURATION", description = "End by itself after so long.")
  private @Nullable Duration length;

  @Override
  public Integer call() throws InterruptedException {
    RedisConfig config = options().connection();
    try (Interruption end = Interruption.watch();
        RedisConnection redis = Session.connect(config);
        Dashboard exporter = start(redis)) {
      surroundings().out().println("Redis      " + Place.of(config));
      surroundings().out().println("metrics    " + exporter.uri().resolve("metrics"));
      surroundings().out().flush();
      end.await(length);
    }
    return ExitCode.DONE;
  }

  private Dashboard start(RedisConnection redis) {
    String next =
        "'asynq exporter --help' tells the settings, 'asynq dashboard hash --help' how to make credentials";
    try {
      Dashboard.Builder builder = Dashboard.builder(redis).metricsOnly().host(host).port(port);
      who().ifPresent(builder::credentials);
      return builder.start();
    } catch (IllegalArgumentException e) {
      throw Failure.usage(String.valueOf(e.getMessage()), next);
    } catch (IllegalStateException | UncheckedIOException e) {
      throw Failure.failed(String.valueOf(e.getMessage()), next);
    }
  }

  private Optional<Credentials> who() {
    if (credentials != null) {
      return Optional.of(Credentials.fromFile(credentials));
    }
    String lines = surroundings().variables().getOrDefault(CREDENTIALS, "");
    return lines.isBlank()
        ? Optional.empty()
        : Optional.of(Credentials.of(Arrays.asList(lines.split("[;\n]", -1))));
  }
}
