package io.asynq4j.cli.dashboard;

import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.TrustedProxy;
import io.asynq4j.redis.RedisConfig;
import java.util.List;
import java.util.Map;
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
      "  asynq dashboard --title Shop --hide payload     # nobody sees payloads",
      "",
      "How it works:",
      "  It listens on 127.0.0.1, and elsewhere only with --credentials or --trusted-proxy. The file",
      "  has a line for each user or token, which 'asynq dashboard hash' makes; without the option,",
      "  the variable ASYNQ_DASHBOARD_CREDENTIALS may hold such lines. Passwords need TLS on the way:",
      "  --tls-cert and --tls-key, or a proxy. Programs find the API below /api/v1, and Prometheus",
      "  the metrics at /metrics. docs/guides/dashboard.md tells the rest."
    },
    subcommands = DashboardHashCommand.class)
public final class DashboardCommand extends HttpServerCommand {

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

  @Option(
      names = "--trusted-proxy",
      paramLabel = "ADDRESS",
      description = {
        "A proxy that logs users in, by its address or network like 10.0.0.0/8; may be given more",
        "than once."
      })
  private List<String> trustedProxies = List.of();

  @Option(
      names = "--proxy-header",
      paramLabel = "NAME",
      description = "The header in which it says who it is. Default: ${DEFAULT-VALUE}")
  private String proxyHeader = "X-Forwarded-User";

  @Option(
      names = "--proxy-role",
      paramLabel = "ROLE",
      description = "What its users may do: viewer, operator or admin. Default: viewer")
  private Role proxyRole = Role.VIEWER;

  @Option(names = "--title", paramLabel = "TEXT", description = "What the page is called.")
  private String title = "asynq";

  @Option(
      names = "--hide",
      paramLabel = "FIELD",
      description = {
        "payload, result, headers or error: never shown, nor searched in; may be given more than",
        "once."
      })
  private List<HiddenField> hidden = List.of();

  @Option(
      names = "--redact",
      paramLabel = "PATH",
      description = {
        "A place in JSON payloads and results that is never shown, like '$..password'; may be given",
        "more than once."
      })
  private List<String> redacted = List.of();

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "One more name beside localhost under which it answers without a login.")
  private List<String> allowedHosts = List.of();

  @Option(
      names = "--also",
      paramLabel = "NAME=URL",
      description = "One more Redis, to be chosen by its name; may be given more than once.")
  private Map<String, String> others = Map.of();

  @Override
  void set(Dashboard.Builder builder, Connections more) {
    builder.port(port).rootPath(rootPath).title(title).readOnly(readOnly);
    others.forEach((name, url) -> builder.redis(name, more.open(RedisConfig.parse(url))));
    hidden.forEach(builder::hide);
    redacted.forEach(builder::redact);
    allowedHosts.forEach(builder::allowHost);
    if (hasOtherLogin()) {
      builder.trustedProxy(TrustedProxy.of(trustedProxies, proxyHeader, Grant.of(proxyRole)));
    }
  }

  @Override
  boolean hasOtherLogin() {
    return !trustedProxies.isEmpty();
  }

  @Override
  String announced(Dashboard served) {
    return "dashboard  " + served.uri();
  }
}
