package io.asynq4j.cli.dashboard;

import io.asynq4j.dashboard.Dashboard;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves metrics of all queues for Prometheus until Ctrl-C. */
@Command(
    name = "exporter",
    description = "Serve metrics of all queues for Prometheus until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq exporter                                  # http://127.0.0.1:9876/metrics",
      "  asynq exporter --port 0 --redis redis://localhost:6379",
      "",
      "How it works:",
      "  Prometheus scrapes /metrics. Redis is queried at most every 5 seconds, independent of the",
      "  number of scrapes. Metric names are compatible with the exporter of asynq for Go;",
      "  docs/reference/metrics.md lists them and the additional ones. The exporter listens on",
      "  127.0.0.1. Any other address requires --credentials. Prometheus logs in with basic_auth or a",
      "  token, which require TLS: use --tls-cert and --tls-key, or a reverse proxy. /health requires no",
      "  login."
    })
public final class ExporterCommand extends HttpServerCommand {

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port to listen on; 0 selects any free port. Default: ${DEFAULT-VALUE}.")
  private int port = 9876;

  @Override
  void set(Dashboard.Builder builder, Connections more) {
    builder.metricsOnly().port(port);
  }

  @Override
  String announced(Dashboard served) {
    return "metrics    " + served.uri().resolve("metrics");
  }
}
