package io.asynq4j.cli.dashboard;

import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.redis.RedisConnection;
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
      "  user or token, which 'asynq credentials' makes. Programs find the API below /api/v1, and",
      "  Prometheus the metrics at /metrics."
    })
public final class DashboardCommand extends ServeCommand {

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where it listens; 0 = any free port. Default: ${DEFAULT-VALUE}")
  private int port = 8080;

  @Option(
      names = "--root-path",
      paramLabel = "PATH",
      description = "The path before all others, such as /tasks.")
  private String rootPath = "";

  @Option(names = "--read-only", description = "Change nothing, whoever asks.")
  private boolean readOnly;

  @Override
  int port() {
    return port;
  }

  @Override
  Dashboard.Builder served(RedisConnection redis) {
    return Dashboard.builder(redis).rootPath(rootPath).readOnly(readOnly);
  }

  @Override
  String where(Dashboard running) {
    return "dashboard  " + running.uri();
  }
}
