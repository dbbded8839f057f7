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

/** Serves the web dashboard until Ctrl-C. */
@Command(
    name = "dashboard",
    description = "Serve the web dashboard until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq dashboard                                 # http://127.0.0.1:8080/",
      "  asynq dashboard --port 0 --read-only            # any free port, no changes allowed",
      "  asynq dashboard --title Shop --hide payload     # never show payloads",
      "",
      "How it works:",
      "  The dashboard listens on 127.0.0.1. Any other address requires --credentials or",
      "  --trusted-proxy. The credentials file has one line per user or token; 'asynq dashboard hash'",
      "  creates them. Without --credentials, the lines are read from the environment variable",
      "  ASYNQ_DASHBOARD_CREDENTIALS. Passwords require TLS: use --tls-cert and --tls-key, or a",
      "  reverse proxy. The HTTP API is at /api/v1, and the Prometheus metrics are at /metrics.",
      "  docs/guides/dashboard.md has the details."
    },
    subcommands = DashboardHashCommand.class)
public final class DashboardCommand extends HttpServerCommand {

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port to listen on; 0 selects any free port. Default: ${DEFAULT-VALUE}.")
  private int port = 8080;

  @Option(
      names = "--root-path",
      paramLabel = "PATH",
      description = "Path prefix of all URLs, e.g. /tasks. Default: none.")
  private String rootPath = "";

  @Option(names = "--read-only", description = "Reject all changes, for all users.")
  private boolean readOnly;

  @Option(
      names = "--trusted-proxy",
      paramLabel = "ADDRESS",
      description = {
        "Address or network of a proxy that authenticates users, e.g. 10.0.0.0/8 (repeatable)."
      })
  private List<String> trustedProxies = List.of();

  @Option(
      names = "--proxy-header",
      paramLabel = "NAME",
      description = "Header in which the proxy sends the user name. Default: ${DEFAULT-VALUE}.")
  private String proxyHeader = "X-Forwarded-User";

  @Option(
      names = "--proxy-role",
      paramLabel = "ROLE",
      description =
          "Role of the users that the proxy authenticates: viewer, operator or admin. Default: viewer.")
  private Role proxyRole = Role.VIEWER;

  @Option(
      names = "--title",
      paramLabel = "TEXT",
      description = "Title of the pages. Default: asynq.")
  private String title = "asynq";

  @Option(
      names = "--hide",
      paramLabel = "FIELD",
      description = {
        "Task field that is never shown or searched: payload, result, headers or error"
            + " (repeatable)."
      })
  private List<HiddenField> hidden = List.of();

  @Option(
      names = "--redact",
      paramLabel = "PATH",
      description = {
        "JSON path whose values are never shown in payloads and results, e.g. '$..password' (repeatable)."
      })
  private List<String> redacted = List.of();

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description =
          "Host name to accept in requests without a login, in addition to localhost (repeatable).")
  private List<String> allowedHosts = List.of();

  @Option(
      names = "--also",
      paramLabel = "NAME=URL",
      description = "Additional Redis that users can select by NAME (repeatable).")
  private Map<String, String> others = Map.of();

  @Override
  void set(Dashboard.Builder builder, Connections more) {
    builder.port(port).rootPath(rootPath).title(title).readOnly(readOnly);
    others.forEach((name, url) -> builder.redis(name, more.open(RedisConfig.parse(url))));
    builder.contents(
        contents -> {
          hidden.forEach(contents::hide);
          redacted.forEach(contents::redact);
        });
    builder.access(
        access -> {
          allowedHosts.forEach(access::allowHost);
          if (hasOtherLogin()) {
            access.trustedProxy(TrustedProxy.of(trustedProxies, proxyHeader, Grant.of(proxyRole)));
          }
        });
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
