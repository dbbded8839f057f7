package io.asynq4j.cli.dashboard;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.command.ShutdownSignal;
import io.asynq4j.cli.settings.RedactedRedisUrl;
import io.asynq4j.dashboard.Credentials;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.TlsCertificate;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Serves HTTP until Ctrl-C: address, login and TLS. */
abstract class HttpServerCommand extends LocalCommand {

  private static final String CREDENTIALS = "ASYNQ_DASHBOARD_CREDENTIALS";
  private static final String KEYSTORE_PASSWORD = "ASYNQ_DASHBOARD_KEYSTORE_PASSWORD";

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "Address to listen on. Any address other than loopback requires a login."
              + " Default: ${DEFAULT-VALUE}.")
  private String host = "127.0.0.1";

  @Option(
      names = "--credentials",
      paramLabel = "FILE",
      description =
          "File with the users and tokens that may log in, one per line. Default: the lines in the"
              + " environment variable "
              + CREDENTIALS
              + ", separated by semicolons.")
  private @Nullable Path credentials;

  @Option(
      names = "--forwarded-by",
      paramLabel = "ADDRESS",
      description = {
        "Address or network of a reverse proxy whose X-Forwarded-For header is trusted, e.g."
            + " 10.0.0.0/8 (repeatable)."
      })
  private List<String> proxies = List.of();

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "PEM file with the TLS certificate chain. Enables TLS; requires --tls-key.")
  private @Nullable Path tlsCertificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "PEM file with the private key of the certificate.")
  private @Nullable Path tlsKey;

  @Option(
      names = "--tls-keystore",
      paramLabel = "FILE",
      description =
          "PKCS12 or JKS file with certificate and key, instead of --tls-cert and --tls-key."
              + " The password is read from the environment variable "
              + KEYSTORE_PASSWORD
              + ".")
  private @Nullable Path tlsKeyStore;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      description = "Stop after this duration, e.g. 10m. Default: run until interrupted.")
  private @Nullable Duration length;

  /** Applies the options of the subclass. Throws IllegalArgumentException for invalid values. */
  abstract void set(Dashboard.Builder builder, Connections more);

  /** Whether users can log in other than with credentials. */
  boolean hasOtherLogin() {
    return false;
  }

  /** Last line to print before serving. */
  abstract String announced(Dashboard served);

  /** Additional connections. One that is not reachable is shown as a warning on its page. */
  static final class Connections implements AutoCloseable {

    private final List<RedisConnection> open = new ArrayList<>();

    RedisConnection open(RedisConfig config) {
      RedisConnection connection = RedisConnection.lazy(config);
      open.add(connection);
      return connection;
    }

    @Override
    public void close() {
      open.forEach(RedisConnection::close);
    }
  }

  @Override
  public boolean connects() {
    return true;
  }

  @Override
  public final Integer call() throws InterruptedException {
    RedisConfig config = options().connection();
    try (ShutdownSignal end = ShutdownSignal.watch();
        Connections connections = new Connections()) {
      RedisConnection redis = connections.open(config);
      // Validate the options before connecting: a typo is wrong whether Redis answers or not.
      Dashboard.Builder builder = settings(redis, connections);
      Session.requireAnswer(redis);
      try (Dashboard served = start(builder)) {
        PrintStream out = environment().out();
        out.println("Redis      " + RedactedRedisUrl.of(config));
        out.println(announced(served));
        out.flush();
        end.await(length);
      }
    }
    return ExitCode.DONE;
  }

  private Dashboard.Builder settings(RedisConnection redis, Connections more) {
    try {
      Dashboard.Builder builder = Dashboard.builder(redis).host(host);
      set(builder, more);
      builder.access(access -> proxies.forEach(access::forwardedBy));
      Optional<Credentials> who = who();
      who.ifPresent(found -> builder.access(access -> access.credentials(found)));
      if (who.isEmpty() && !hasOtherLogin()) {
        requireOwnMachine();
      }
      certificate().ifPresent(builder::tls);
      return builder;
    } catch (IllegalArgumentException | UncheckedIOException e) {
      throw CliException.usage(String.valueOf(e.getMessage()), nextStep());
    }
  }

  private Dashboard start(Dashboard.Builder builder) {
    try {
      return builder.start();
    } catch (IllegalArgumentException e) {
      throw CliException.usage(String.valueOf(e.getMessage()), nextStep());
    } catch (IllegalStateException e) {
      throw CliException.failed(
          String.valueOf(e.getMessage()), "Choose another --port, or 0 for any free port.");
    }
  }

  private String nextStep() {
    return "Run '%s --help' for the options, and 'asynq dashboard hash --help' for credentials."
        .formatted(spec().qualifiedName());
  }

  @SuppressWarnings("AddressSelection") // All addresses of a name would have to be loopback.
  private void requireOwnMachine() {
    InetSocketAddress address = new InetSocketAddress(host, 0);
    if (!address.isUnresolved() && !address.getAddress().isLoopbackAddress()) {
      throw CliException.usage(
          "'%s' does not listen on %s without a login: anyone there could read the queues"
              .formatted(spec().qualifiedName(), host),
          "Pass --credentials FILE. Run 'asynq dashboard hash --help' to create its lines.");
    }
  }

  private Optional<Credentials> who() {
    if (credentials != null) {
      return Optional.of(Credentials.fromFile(credentials));
    }
    String lines = environment().variables().getOrDefault(CREDENTIALS, "");
    return lines.isBlank()
        ? Optional.empty()
        : Optional.of(Credentials.of(Arrays.asList(lines.split("[;\n]", -1))));
  }

  private Optional<TlsCertificate> certificate() {
    if (tlsKeyStore != null) {
      String password = environment().variables().getOrDefault(KEYSTORE_PASSWORD, "");
      return Optional.of(TlsCertificate.ofKeyStore(tlsKeyStore, password));
    } else if (tlsCertificate != null && tlsKey != null) {
      return Optional.of(TlsCertificate.ofPem(tlsCertificate, tlsKey));
    } else if (tlsCertificate != null || tlsKey != null) {
      throw new IllegalArgumentException(
          "TLS needs both --tls-cert and --tls-key, but one of them is missing");
    }
    return Optional.empty();
  }
}
