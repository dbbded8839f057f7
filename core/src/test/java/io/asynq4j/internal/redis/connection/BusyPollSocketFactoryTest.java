package io.asynq4j.internal.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.redis.RedisConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;

class BusyPollSocketFactoryTest {

  private static final JedisClientConfig CLIENT =
      DefaultJedisClientConfig.builder().socketTimeoutMillis(100).build();

  @Test
  void answersAreReadWhetherTheyComeSoonOrLate() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = connectedTo(server);
        Socket other = server.accept()) {
      for (int number = 1; number <= 200; number++) {
        int answer = number % 100;
        CompletableFuture<Void> late = CompletableFuture.completedFuture(null);
        if (number % 50 == 0) {
          // Longer than anybody looks for it.
          late = CompletableFuture.runAsync(() -> writeAfter(other, 5, answer));
        } else {
          other.getOutputStream().write(answer);
        }
        byte[] buffer = new byte[16];
        assertThat(socket.getInputStream().read(buffer, 0, buffer.length)).isEqualTo(1);
        assertThat(buffer[0]).isEqualTo((byte) answer);
        late.join();
      }
    }
  }

  private static void writeAfter(Socket socket, long millis, int value) {
    try {
      Thread.sleep(millis); // what is tested is an answer that takes its time
      socket.getOutputStream().write(value);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anAnswerThatNeverComesEndsWithTheTimeout() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = connectedTo(server)) {
      assertThatThrownBy(() -> socket.getInputStream().read(new byte[1], 0, 1))
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void theOtherSideClosingIsTheEndOfTheStream() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket socket = connectedTo(server)) {
      server.accept().close();

      assertThat(socket.getInputStream().read(new byte[1], 0, 1)).isEqualTo(-1);
    }
  }

  @Test
  void anUnreachableServerIsNamedWithTheReason() throws Exception {
    int unused;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unused = server.getLocalPort();
    }
    assertThatThrownBy(
            BusyPollSocketFactory.to(new HostAndPort("127.0.0.1", unused), CLIENT)::createSocket)
        .isInstanceOf(JedisConnectionException.class)
        .hasMessageContaining("127.0.0.1:" + unused)
        .satisfies(
            e -> assertThat(e.getSuppressed()).hasExactlyElementsOfTypes(ConnectException.class));
    assertThatThrownBy(
            BusyPollSocketFactory.to(new HostAndPort("no.such.host.invalid", 1), CLIENT)
                ::createSocket)
        .isInstanceOf(JedisConnectionException.class)
        .hasCauseInstanceOf(UnknownHostException.class);
  }

  @Test
  void encryptedConnectionsArePlain() {
    JedisClientConfig encrypted =
        JedisConfigFactory.forData(RedisConfig.parse("rediss://localhost"));

    assertThat(BusyPollSocketFactory.to(new HostAndPort("localhost", 1), encrypted))
        .isInstanceOf(DefaultJedisSocketFactory.class);
  }

  private static Socket connectedTo(ServerSocket server) {
    return BusyPollSocketFactory.to(new HostAndPort("127.0.0.1", server.getLocalPort()), CLIENT)
        .createSocket();
  }
}
