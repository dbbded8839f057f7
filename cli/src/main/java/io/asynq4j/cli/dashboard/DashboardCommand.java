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
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The dashboard in a browser, until Ctrl-C. */
@Command(
    name = "dashboard",
    description = "Serves the dashboard for a browser, until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dashboard                                 # http://127.0.0.1:8080/",
      "  asynq dashboard --port 0 --read-only            # any free port; nothing can be changed",
      "",
      "How it works:",
      "  It listens on 127.0.0.1, and elsewhere only with --credentials: a file with a line for each",
      "  user or token, which docs/dashboard.md describes. Programs find the API below /api/v1, and",
      "  Prometheus the metrics at /metrics."
    })
public final class DashboardCommand extends LocalCommand {

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where it listens; 0 = any free port. Default: ${DEFAULT-VALUE}")
  private int port = 8080;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "The address that it listens on. Default: ${DEFAULT-VALUE}")
  private String host = "127.0.0.1";

  @Option(
      names = "--root-path",
      paramLabel = "PATH",
      description = "The path before all others, such as /tasks.")
  private String rootPath = "";

  @Option(names = "--read-only", description = "Change nothing, whoever asks.")
  private boolean readOnly;

  @Option(
      names = "--credentials",
      paramLabel = "FILE",
      description = "Who may log in, by password or token.")
  private @Nullable Path credentials;

  @Option(names = "--for", paramLabel = "DURATION", description = "End by itself after so long.")
  private @Nullable Duration length;

  @Override
  public Integer call() throws InterruptedException {
    RedisConfig config = options().connection();
    try (Interruption end = Interruption.watch();
        RedisConnection redis = Session.connect(config);
        Dashboard dashboard = start(redis)) {
      surroundings().out().println("Redis      " + Place.of(config));
      surroundings().out().println("dashboard  " + dashboard.uri());
      surroundings().out().flush();
      end.await(length);
    }
    return ExitCode.DONE;
  }

  private Dashboard start(RedisConnection redis) {
    try {
      Dashboard.Builder builder =
          Dashboard.builder(redis).host(host).port(port).rootPath(rootPath).readOnly(readOnly);
      if (credentials != null) {
        builder.credentials(Credentials.fromFile(credentials));
      }
      return builder.start();
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw Failure.failed(
          String.valueOf(e.getMessage()), "'asynq dashboard --help' tells the settings");
    }
  }
}
