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

/** Something that is served over HTTP until Ctrl-C: where, for whom, with or without TLS. */
abstract class HttpServerCommand extends LocalCommand {

  private static final String CREDENTIALS = "ASYNQ_DASHBOARD_CREDENTIALS";
  private static final String KEYSTORE_PASSWORD = "ASYNQ_DASHBOARD_KEYSTORE_PASSWORD";

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "The address that it listens on; any but this machine's own needs somebody who may log"
              + " in. Default: ${DEFAULT-VALUE}")
  private String host = "127.0.0.1";

  @Option(
      names = "--credentials",
      paramLabel = "FILE",
      description = "Who may log in, by password or token. Also " + CREDENTIALS + ".")
  private @Nullable Path credentials;

  @Option(
      names = "--forwarded-by",
      paramLabel = "ADDRESS",
      description = {
        "Reverse proxy whose X-Forwarded-For names the clients, by its address or network such as",
        "10.0.0.0/8 (repeatable)."
      })
  private List<String> proxies = List.of();

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
      description =
          "Both in one PKCS12 or JKS store instead; its password is in the variable "
              + KEYSTORE_PASSWORD
              + ".")
  private @Nullable Path tlsKeyStore;

  @Option(names = "--for", paramLabel = "DURATION", description = "End by itself after so long.")
  private @Nullable Duration length;

  /** Port and whatever else is particular; what makes no sense is an IllegalArgumentException. */
  abstract void set(Dashboard.Builder builder, Connections more);

  /** Whether somebody can log in otherwise than by credentials. */
  boolean hasOtherLogin() {
    return false;
  }

  /** The last line before it serves. */
  abstract String announced(Dashboard served);

  /** Further connections; one that cannot be reached just now is a banner on its page. */
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
  public final Integer call() throws InterruptedException {
    RedisConfig config = options().connection();
    try (ShutdownSignal end = ShutdownSignal.watch();
        Connections connections = new Connections()) {
      RedisConnection redis = connections.open(config);
      // Before Redis is asked: what was mistyped is wrong whether it answers or not.
      Dashboard.Builder builder = settings(redis, connections);
      Session.requireAnswer(redis);
      try (Dashboard served = start(builder)) {
        PrintStream out = surroundings().out();
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
      proxies.forEach(builder::forwardedBy);
      Optional<Credentials> who = who();
      who.ifPresent(builder::credentials);
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
          String.valueOf(e.getMessage()),
          "choose another --port; 0 takes any that is free, and tells which");
    }
  }

  private String nextStep() {
    return "'%s --help' tells the settings, 'asynq dashboard hash --help' how to make credentials"
        .formatted(spec().qualifiedName());
  }

  @SuppressWarnings("AddressSelection") // All addresses of a name would have to be loopback.
  private void requireOwnMachine() {
    InetSocketAddress address = new InetSocketAddress(host, 0);
    if (!address.isUnresolved() && !address.getAddress().isLoopbackAddress()) {
      throw CliException.usage(
          "'%s' does not listen on %s without authentication, for everybody there could see what"
                  .formatted(spec().qualifiedName(), host)
              + " is in the queues",
          "say who may log in with --credentials FILE; 'asynq dashboard hash --help' tells how to"
              + " make its lines");
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

  private Optional<TlsCertificate> certificate() {
    if (tlsKeyStore != null) {
      String password = surroundings().variables().getOrDefault(KEYSTORE_PASSWORD, "");
      return Optional.of(TlsCertificate.ofKeyStore(tlsKeyStore, password));
    } else if (tlsCertificate != null && tlsKey != null) {
      return Optional.of(TlsCertificate.ofPem(tlsCertificate, tlsKey));
    } else if (tlsCertificate != null || tlsKey != null) {
      throw new IllegalArgumentException(
          "TLS needs both --tls-cert and --tls-key, and one of them is missing");
    }
    return Optional.empty();
  }
}
