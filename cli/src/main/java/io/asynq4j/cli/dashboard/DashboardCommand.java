package io.asynq4j.cli.dashboard;

import io.asynq4j.cli.frame.ExitCode;
import io.asynq4j.cli.frame.Failure;
import io.asynq4j.cli.frame.Interruption;
import io.asynq4j.cli.frame.LocalCommand;
import io.asynq4j.cli.frame.Session;
import io.asynq4j.cli.settings.Place;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.HiddenField;
import io.asynq4j.dashboard.Role;
import io.asynq4j.dashboard.TlsCertificate;
import io.asynq4j.dashboard.TrustedProxy;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      "  asynq dashboard --title Shop --hide payload     # nobody sees payloads",
      "",
      "How it works:",
      "  It listens on 127.0.0.1, and elsewhere only with --credentials or --trusted-proxy. The file",
      "  has a line for each user or token, which 'asynq dashboard hash' makes; without the option,",
      "  the variable ASYNQ_DASHBOARD_CREDENTIALS may hold such lines. Passwords need TLS on the way:",
      "  --tls-cert and --tls-key, or a proxy. Programs find the API below /api/v1, and Prometheus",
      "  the metrics at /metrics. docs/dashboard.md tells the rest."
    },
    subcommands = DashboardHash.class)
public final class DashboardCommand extends LocalCommand {

  private static final String CREDENTIALS = "ASYNQ_DASHBOARD_CREDENTIALS";
  private static final String KEYSTORE_PASSWORD = "ASYNQ_DASHBOARD_KEYSTORE_PASSWORD";

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

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Listen with TLS: the certificate and those that vouch for it, PEM.")
  private @Nullable Path tlsCertificate;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key, PEM.")
  private @Nullable Path tlsKey;

  @Option(
      names = "--tls-keystore",
      paramLabel = "FILE",
      description = {
        "Both in one PKCS12 or JKS store instead; its password is in the variable",
        "ASYNQ_DASHBOARD_KEYSTORE_PASSWORD."
      })
  private @Nullable Path tlsKeyStore;

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

  @Option(names = "--for", paramLabel = "DURATION", description = "End by itself after so long.")
  private @Nullable Duration length;

  @Override
  public Integer call() throws InterruptedException {
    RedisConfig config = options().connection();
    try (Interruption end = Interruption.watch();
        RedisConnection redis = Session.connect(config);
        Others more = Others.open(others);
        Dashboard dashboard = start(redis, more)) {
      surroundings().out().println("Redis      " + Place.of(config));
      surroundings().out().println("dashboard  " + dashboard.uri());
      surroundings().out().flush();
      end.await(length);
    }
    return ExitCode.DONE;
  }

  /** Further connections; one that cannot be reached just now is a banner on its page. */
  private record Others(Map<String, RedisConnection> byName) implements AutoCloseable {

    static Others open(Map<String, String> urls) {
      Map<String, RedisConnection> byName = new LinkedHashMap<>();
      urls.forEach((name, url) -> byName.put(name, RedisConnection.lazy(RedisConfig.parse(url))));
      return new Others(byName);
    }

    @Override
    public void close() {
      byName.values().forEach(RedisConnection::close);
    }
  }

  private Dashboard start(RedisConnection redis, Others more) {
    try {
      Dashboard.Builder builder =
          Dashboard.builder(redis)
              .host(host)
              .port(port)
              .rootPath(rootPath)
              .title(title)
              .readOnly(readOnly);
      more.byName().forEach(builder::redis);
      hidden.forEach(builder::hide);
      redacted.forEach(builder::redact);
      allowedHosts.forEach(builder::allowHost);
      authenticate(builder);
      encrypt(builder);
      return builder.start();
    } catch (IllegalStateException | IllegalArgumentException | UncheckedIOException e) {
      throw Failure.failed(
          String.valueOf(e.getMessage()), "'asynq dashboard --help' tells the settings");
    }
  }

  private void authenticate(Dashboard.Builder builder) {
    String lines = surroundings().variables().get(CREDENTIALS);
    if (credentials != null) {
      builder.credentials(Credentials.fromFile(credentials));
    } else if (lines != null && !lines.isBlank()) {
      builder.credentials(Credentials.of(Arrays.asList(lines.split("[;\n]", -1))));
    }
    if (!trustedProxies.isEmpty()) {
      builder.trustedProxy(TrustedProxy.of(trustedProxies, proxyHeader, Grant.of(proxyRole)));
    }
  }

  private void encrypt(Dashboard.Builder builder) {
    if (tlsKeyStore != null) {
      String password = surroundings().variables().getOrDefault(KEYSTORE_PASSWORD, "");
      builder.tls(TlsCertificate.ofKeyStore(tlsKeyStore, password));
    } else if (tlsCertificate != null && tlsKey != null) {
      builder.tls(TlsCertificate.ofPem(tlsCertificate, tlsKey));
    } else if (tlsCertificate != null || tlsKey != null) {
      throw new IllegalArgumentException(
          "TLS needs both --tls-cert and --tls-key, and one of them is missing");
    }
  }
}
