package io.asynq4j.cli.dashboard;

import io.asynq4j.dashboard.Dashboard;
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
      "  docs/reference/metrics.md tells. It listens on 127.0.0.1, and elsewhere only with",
      "  --credentials, as 'asynq dashboard' does: Prometheus logs in by basic_auth or a token, which",
      "  need TLS on the way: --tls-cert and --tls-key, or a proxy. /health needs no login."
    })
public final class ExporterCommand extends HttpServerCommand {

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where it listens; 0 = any free port. Default: ${DEFAULT-VALUE}")
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
