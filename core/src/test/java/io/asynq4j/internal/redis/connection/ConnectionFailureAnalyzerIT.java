package io.asynq4j.internal.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.asynq4j.BrokerException;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedSentinel;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Errors for wrong addresses. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConnectionFailureAnalyzerIT {

  private final EmbeddedRedis redis = EmbeddedRedis.builder().ephemeral().start();

  @AfterAll
  void stop() {
    redis.close();
  }

  private static BrokerException refusal(String uri) {
    RedisConfig config =
        RedisConfig.parse(uri).toBuilder()
            .commandTimeout(Duration.ofSeconds(2))
            .retryFor(Duration.ZERO)
            .build();
    BrokerException e =
        catchThrowableOfType(BrokerException.class, () -> RedisConnection.open(config).close());
    assertThat(e).isNotNull();
    assertThat(e.mayHaveBeenApplied()).isFalse();
    return e;
  }

  private String at(String scheme, String rest) {
    return scheme + "://127.0.0.1:" + redis.port() + rest;
  }

  @Test
  void tlsWhereThereIsNone() {
    assertThat(refusal(at("rediss", "")))
        .hasMessageContaining("127.0.0.1:" + redis.port())
        .hasMessageContaining("may not use TLS")
        .hasMessageContaining("use redis instead of rediss");
  }

  @Test
  void noTlsWhereItIsExpected() throws IOException {
    try (ServerSocket tls = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread peer = new Thread(() -> alert(tls));
      peer.setDaemon(true);
      peer.start();

      assertThat(refusal("redis://127.0.0.1:" + tls.getLocalPort()))
          .hasMessageContaining("may expect TLS")
          .hasMessageContaining("use rediss instead of redis");
    }
  }

  /** The reply of a TLS server to a request that it does not understand. */
  private static void alert(ServerSocket server) {
    byte[] protocolVersion = {21, 3, 3, 0, 2, 2, 70};
    while (!server.isClosed()) {
      try (Socket client = server.accept()) {
        if (client.getInputStream().read(new byte[1024]) > 0) {
          client.getOutputStream().write(protocolVersion);
        }
      } catch (IOException e) {
        // The test is over, or the client has gone.
      }
    }
  }

  @Test
  void aServerWhereSentinelsAreExpected() {
    assertThat(refusal(at("redis-sentinel", "?master=mymaster")))
        .hasMessageContaining("not a sentinel")
        .hasMessageContaining("26379");
  }

  @Test
  void aSingleServerWhereAClusterIsExpected() {
    assertThat(refusal(at("redis-cluster", "")))
        .hasMessageContaining("this is a single server: use redis instead of redis-cluster");
  }

  @Test
  void aDatabaseThatIsNotThere() {
    assertThat(refusal(at("redis", "/99")))
        .hasMessageContaining("it has no database 99")
        .hasMessageContaining("default: 16");
  }

  @Test
  void aPrimaryThatTheSentinelsDoNotKnowAndASentinelWhereAServerIsExpected() {
    try (EmbeddedSentinel group = EmbeddedSentinel.start()) {
      String sentinel = group.sentinels().get(0);

      assertThat(refusal("redis-sentinel://" + sentinel + "?master=nobody"))
          .hasMessageContaining("nobody")
          .hasMessageContaining("check the parameter 'master'");
      assertThat(refusal("redis://" + sentinel))
          .hasMessageContaining("if this is a sentinel, use redis-sentinel");
    }
  }

  @Test
  void aPasswordOrUserThatIsWrong() {
    try (EmbeddedRedis guarded = EmbeddedRedis.builder().ephemeral().password("right").start()) {
      String address = "127.0.0.1:" + guarded.port();

      assertThat(refusal("redis://:wrong@" + address))
          .hasMessageContaining("check user and password");
      assertThat(refusal("redis://nobody:right@" + address))
          .hasMessageContaining("check user and password");
      assertThat(refusal("redis://" + address)).hasMessageContaining("give the password");
    }
  }
}
