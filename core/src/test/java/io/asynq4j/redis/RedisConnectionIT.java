package io.asynq4j.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedRedisException;
import io.asynq4j.embedded.RedisBinary;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.CapturedWarnings;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.store.BrokerConnection;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class RedisConnectionIT {

  private static final String STORE_PASSWORD = "changeit";
  private static final QueueName Q = QueueName.of("q");

  private EmbeddedRedis redis;

  @BeforeAll
  void start() {
    redis = EmbeddedRedis.start();
  }

  @AfterAll
  void stop() {
    redis.close();
  }

  private Object admin(String... words) {
    return admin(redis, words);
  }

  private static Object admin(EmbeddedRedis server, String... words) {
    try (Connection connection = TestRedis.connect(server)) {
      CommandArguments arguments = new CommandArguments(Command.valueOf(words[0]));
      for (int i = 1; i < words.length; i++) {
        arguments.add(words[i]);
      }
      return connection.executeCommand(arguments);
    }
  }

  private static NewTask task() {
    return NewTask.of(
        Task.of("t", Payload.ofUtf8("p")), TaskOptions.of(o -> o.queue("q")), Instant.EPOCH);
  }

  @Test
  void answersAPingAndFollowsTheClockOfRedis() {
    try (RedisConnection connection = RedisConnection.open(redis.uri())) {
      assertThat(connection.ping()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(30));

      List<?> time = (List<?>) admin("TIME");
      Instant now =
          Instant.ofEpochSecond(
              ReplyParser.number(time.get(0)), ReplyParser.number(time.get(1)) * 1000);
      assertThat(Duration.between(now, connection.clock().instant()).abs())
          .isLessThan(Duration.ofSeconds(5));
      assertThat(BrokerConnection.brokerOf(connection).clock()).isSameAs(connection.clock());
    }
  }

  @Test
  void whenRedisIsDownOpeningFailsAndLeavesNothingBehind() {
    EmbeddedRedis gone = EmbeddedRedis.start();
    RedisConfig config = RedisConfig.parse(gone.uri()).toBuilder().retryFor(Duration.ZERO).build();
    gone.close();

    assertThatExceptionOfType(BrokerUnavailableException.class)
        .isThrownBy(() -> RedisConnection.open(config))
        .withMessageContaining("127.0.0.1:" + gone.port())
        .matches(e -> !e.mayHaveBeenApplied());
  }

  @Test
  void aLazyConnectionIsMadeFromAUriToo() {
    try (RedisConnection connection = RedisConnection.lazy(redis.uri())) {
      assertThat(connection.ping()).isPositive();
    }
  }

  @Test
  void aLazyConnectionIsMadeWhileRedisIsDownAndWorksWhenItIsUp() {
    try (EmbeddedRedis late = EmbeddedRedis.start()) {
      late.stop();
      RedisConfig config =
          RedisConfig.parse(late.uri()).toBuilder().retryFor(Duration.ZERO).build();
      try (RedisConnection connection = RedisConnection.lazy(config)) {
        assertThatExceptionOfType(BrokerUnavailableException.class).isThrownBy(connection::ping);

        late.restart();

        assertThat(connection.ping()).isPositive();
      }
    }
  }

  @Test
  void aLazyConnectionToAClusterIsMadeWhileThatIsDown() {
    EmbeddedCluster cluster = EmbeddedCluster.start();
    RedisConfig config =
        RedisConfig.parse(cluster.uri()).toBuilder().retryFor(Duration.ZERO).build();
    cluster.close();
    try (RedisConnection connection = RedisConnection.lazy(config)) {
      assertThatExceptionOfType(BrokerUnavailableException.class)
          .isThrownBy(connection::ping)
          .withMessageContainingAll("cannot connect to Redis at", "refused")
          .matches(e -> !e.mayHaveBeenApplied());
    }
  }

  @Test
  void afterCloseEveryCallReportsIt() {
    RedisConnection connection = RedisConnection.open(redis.uri());
    connection.close();
    connection.close();

    assertThatIllegalStateException()
        .isThrownBy(connection::ping)
        .withMessageContainingAll("127.0.0.1:" + redis.port(), "is closed");
    assertThatIllegalStateException()
        .isThrownBy(
            () -> BrokerConnection.brokerOf(connection).enqueueing().enqueue(List.of(task())));
    assertThatIllegalStateException()
        .isThrownBy(
            () -> BrokerConnection.brokerOf(connection).cancellations().subscribe(id -> {}));
  }

  @Test
  void closeEndsACallThatWaitsForRedis() {
    EmbeddedRedis gone = EmbeddedRedis.start();
    RedisConfig config =
        RedisConfig.parse(gone.uri()).toBuilder().retryFor(Duration.ofMinutes(5)).build();
    gone.close();
    RedisConnection connection = RedisConnection.lazy(config);
    CompletableFuture<Duration> waiting = CompletableFuture.supplyAsync(connection::ping);

    connection.close();

    assertThat(waiting)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .withMessageContaining("is closed");
  }

  @Test
  void closeLeavesNoConnection() {
    int before = clients();
    RedisConnection connection = RedisConnection.open(redis.uri());
    BrokerConnection.brokerOf(connection).enqueueing().enqueue(List.of(task()));
    assertThat(clients()).isGreaterThan(before);

    connection.close();

    await().until(() -> clients() == before);
  }

  private int clients() {
    return (int) ReplyParser.text(admin("CLIENT", "LIST")).lines().count();
  }

  @Test
  void connectionsCarryTheNameThatWasChosen() {
    RedisConfig config = RedisConfig.parse(redis.uri()).toBuilder().clientName("billing").build();
    try (RedisConnection connection = RedisConnection.open(config)) {
      connection.ping();
      assertThat(ReplyParser.text(admin("CLIENT", "LIST"))).contains(" name=billing ");
    }
  }

  @Test
  void aRedisThatEvictsAndSavesNothingIsWarnedOf() {
    admin("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    try (CapturedWarnings warnings = new CapturedWarnings();
        RedisConnection connection = RedisConnection.open(redis.uri())) {
      assertThat(connection).isNotNull();
      assertThat(warnings.lines())
          .satisfiesExactly(
              line -> assertThat(line).contains("allkeys-lru", "set maxmemory-policy noeviction"),
              line -> assertThat(line).contains("saves nothing to disk", "set appendonly yes"));
    } finally {
      admin("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }
  }

  @Test
  void aRedisThatKeepsEverythingIsNotWarnedOf(@TempDir Path data) {
    try (EmbeddedRedis fit = EmbeddedRedis.builder().dataDirectory(data).start();
        CapturedWarnings warnings = new CapturedWarnings();
        RedisConnection connection = RedisConnection.open(fit.uri())) {
      assertThat(connection).isNotNull();
      assertThat(warnings.lines()).isEmpty();
    }
  }

  @Test
  void snapshotsAreGoodEnoughNotToBeWarnedOf() {
    admin("CONFIG", "SET", "save", "3600 1");
    try (CapturedWarnings warnings = new CapturedWarnings();
        RedisConnection connection = RedisConnection.open(redis.uri())) {
      assertThat(connection).isNotNull();
      assertThat(warnings.lines()).isEmpty();
    } finally {
      admin("CONFIG", "SET", "save", "");
    }
  }

  @Test
  void aPlainConnectionToAClusterNodeReportsWhatToDo() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start();
        RedisCommandExecutor link =
            BrokerFixture.link(RedisConfig.parse(cluster.nodes().get(0).uri()))) {
      String elsewhere = cluster.nodeOf(RedisKeys.slot("a")) == cluster.nodes().get(0) ? "b" : "a";
      assertThatExceptionOfType(BrokerRefusedException.class)
          .isThrownBy(
              () ->
                  link.call(
                      elsewhere, ResendPolicy.SAFE, Command.GET, new CommandArgs().add(elsewhere)))
          .withMessageContaining("use redis-cluster:// instead of redis://");
    }
  }

  @Test
  void worksOverAUnixSocket(@TempDir Path directory) {
    Path socket = directory.resolve("redis.sock");
    try (EmbeddedRedis local = EmbeddedRedis.builder().unixSocket(socket).start();
        RedisConnection connection =
            RedisConnection.open(RedisConfig.builder().socket(socket).build())) {
      BrokerConnection.brokerOf(connection).enqueueing().enqueue(List.of(task()));

      assertThat(BrokerConnection.brokerOf(connection).queues().names()).containsExactly("q");
      assertThat(admin(local, "LLEN", RedisKeys.of(Q, "pending"))).isEqualTo(1L);
    }
  }

  @Test
  void worksOverTls(@TempDir Path directory) throws Exception {
    Optional<RedisBinary> installed = RedisBinary.onPath("redis-server", "valkey-server");
    assumeThat(installed).as("an installed server: the bundled one knows no TLS").isPresent();
    Path store = directory.resolve("keys.p12");
    makeKeys(directory, store);
    int port = freePort();
    try (EmbeddedRedis encrypted = startWithTls(installed.orElseThrow(), directory, port)) {
      RedisConfig config =
          RedisConfig.builder()
              .standalone("localhost", port)
              .tls(TlsConfig.defaults().withTrustStore(store, STORE_PASSWORD))
              .build();
      try (RedisConnection connection = RedisConnection.open(config)) {
        BrokerConnection.brokerOf(connection).enqueueing().enqueue(List.of(task()));
        assertThat(admin(encrypted, "LLEN", RedisKeys.of(Q, "pending"))).isEqualTo(1L);
      }
      RedisConfig trusting =
          config.toBuilder().tls(TlsConfig.defaults()).retryFor(Duration.ZERO).build();
      assertThatExceptionOfType(BrokerUnavailableException.class)
          .isThrownBy(() -> RedisConnection.open(trusting))
          .withMessageContaining("PKIX");
    }
  }

  private static EmbeddedRedis startWithTls(RedisBinary binary, Path directory, int port) {
    try {
      return EmbeddedRedis.builder()
          .binary(binary)
          .config("tls-port", Integer.toString(port))
          .config("tls-cert-file", directory.resolve("cert.pem").toString())
          .config("tls-key-file", directory.resolve("key.pem").toString())
          .config("tls-auth-clients", "no")
          .start();
    } catch (EmbeddedRedisException e) {
      return abort("the installed server knows no TLS: " + e.getMessage());
    }
  }

  private static void makeKeys(Path directory, Path store) throws Exception {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "redis",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), STORE_PASSWORD.toCharArray());
    writePem(
        directory.resolve("key.pem"),
        "PRIVATE KEY",
        keys.getKey("redis", STORE_PASSWORD.toCharArray()).getEncoded());
    writePem(
        directory.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate("redis").getEncoded());
    // What is trusted must be an entry of its own, without a key.
    keys.setCertificateEntry("trusted", keys.getCertificate("redis"));
    try (OutputStream out = Files.newOutputStream(store)) {
      keys.store(out, STORE_PASSWORD.toCharArray());
    }
  }

  private static void writePem(Path file, String kind, byte[] content) throws IOException {
    Files.writeString(
        file,
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(content), kind));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
