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
import picocli.CommandLine.Option;

/** Serves something over HTTP until Ctrl-C: on this machine, or to those who can log in. */
abstract class ServeCommand extends LocalCommand {

  private static final String VARIABLE = "ASYNQ_DASHBOARD_CREDENTIALS";

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
      description = "Who may log in, by password or token. Also " + VARIABLE + ".")
  private @Nullable Path credentials;

  @Option(names = "--for", paramLabel = "DURATION", description = "End by itself after so long.")
  private @Nullable Duration length;

  abstract int port();

  /** What is served. */
  abstract Dashboard.Builder served(RedisConnection redis);

  /** The line that says where it is. */
  abstract String where(Dashboard running);

  @Override
  protected final int run() throws InterruptedException {
    RedisConfig config = options().connection();
    try (Interruption end = Interruption.watch();
        RedisConnection redis = Session.connect(config);
        Dashboard running = start(redis)) {
      surroundings().out().println("Redis      " + Place.of(config));
      surroundings().out().println(where(running));
      surroundings().out().flush();
      end.await(length);
    }
    return ExitCode.DONE;
  }

  private Dashboard start(RedisConnection redis) {
    try {
      Dashboard.Builder builder = served(redis).host(host).port(port());
      who().ifPresent(builder::credentials);
      return builder.start();
    } catch (IllegalArgumentException e) {
      throw Failure.usage(String.valueOf(e.getMessage()), next());
    } catch (IllegalStateException | UncheckedIOException e) {
      throw Failure.failed(String.valueOf(e.getMessage()), next());
    }
  }

  private String next() {
    return "'%s --help' tells the settings, 'asynq credentials' makes a file for --credentials"
        .formatted(spec().qualifiedName());
  }

  private Optional<Credentials> who() {
    if (credentials != null) {
      return Optional.of(Credentials.fromFile(credentials));
    }
    String lines = surroundings().variables().getOrDefault(VARIABLE, "");
    return lines.isBlank()
        ? Optional.empty()
        : Optional.of(Credentials.of(Arrays.asList(lines.split("[;\n]", -1))));
  }
}
