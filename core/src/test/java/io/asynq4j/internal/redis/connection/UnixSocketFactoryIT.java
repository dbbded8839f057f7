package io.asynq4j.internal.redis.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;

@Timeout(60)
class UnixSocketFactoryIT {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  @TempDir static Path directory;

  private static Path path;
  private static EmbeddedRedis redis;

  @BeforeAll
  static void startRedis() {
    path = directory.resolve("redis.sock");
    redis = EmbeddedRedis.builder().unixSocket(path).start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  private static UnixSocketFactory factory(Duration readTimeout) {
    return factory(path, CONNECT_TIMEOUT, readTimeout);
  }

  private static UnixSocketFactory factory(
      Path path, Duration connectTimeout, Duration readTimeout) {
    return new UnixSocketFactory(
        path,
        DefaultJedisClientConfig.builder()
            .connectionTimeoutMillis((int) connectTimeout.toMillis())
            .socketTimeoutMillis((int) readTimeout.toMillis())
            .build());
  }

  @Test
  void pingsThroughJedis() {
    RedisConfig config = RedisConfig.builder().socket(path).database(3).build();
    JedisClientConfig client = JedisConfigFactory.forData(config);
    try (Connection connection = new Connection(new UnixSocketFactory(path, client), client)) {
      assertThat(connection.ping()).isTrue();
      assertThat(connection.isConnected()).isTrue();
      assertThat(connection.toIdentityString()).contains("redis.sock");
      connection.disconnect();
      assertThat(connection.isConnected()).isFalse();
      connection.connect();
      assertThat(connection.ping()).isTrue();
    }
  }

  @Test
  void carriesLargeValuesBothWays() {
    byte[] value = new byte[5 * 1024 * 1024];
    new Random(1).nextBytes(value);
    byte[] key = "large".getBytes(US_ASCII);
    try (Connection connection = new Connection(factory(Duration.ofSeconds(30)))) {
      connection.sendCommand(Command.SET, key, value);
      assertThat(connection.getStatusCodeReply()).isEqualTo("OK");
      connection.sendCommand(Command.GET, key);
      assertThat(Arrays.equals(connection.getBinaryBulkReply(), value)).isTrue();
    }
  }

  @Test
  void carriesLongPipelinesThatFillTheSocketsBuffers() throws Exception {
    int calls = 20_000;
    try (Socket socket = factory(Duration.ofSeconds(30)).createSocket()) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  OutputStream out = socket.getOutputStream();
                  byte[] ping = ("ECHO " + "x".repeat(1000) + "\r\n").getBytes(US_ASCII);
                  for (int i = 0; i < calls; i++) {
                    out.write(ping);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      long expected = (long) calls * ("$1000\r\n" + "x".repeat(1000) + "\r\n").length();
      // Long enough for the replies to fill the server's side of the socket.
      Thread.sleep(200);
      byte[] buffer = new byte[8192];
      long received = 0;
      while (received < expected) {
        received += socket.getInputStream().read(buffer);
      }
      assertThat(received).isEqualTo(expected);
      sent.get();
    }
  }

  @Test
  void endsAReadThatTakesTooLong() throws Exception {
    try (Socket socket = factory(Duration.ofMillis(150)).createSocket()) {
      InputStream in = socket.getInputStream();
      assertThat(in.available()).isZero();
      assertTimesOut(in, 150);

      socket.setSoTimeout(50);
      assertThat(socket.getSoTimeout()).isEqualTo(50);
      assertTimesOut(in, 50);

      // A timed-out socket is as usable as before.
      socket.getOutputStream().write("PING\r\n".getBytes(US_ASCII));
      assertThat(in.readNBytes(7)).asString().isEqualTo("+PONG\r\n");
    }
  }

  private static void assertTimesOut(InputStream in, long millis) {
    long start = System.nanoTime();
    assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(in::read);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(millis), Duration.ofMillis(millis + 20_000));
  }

  @Test
  void reportsATimeoutToJedisAsABrokenConnection() {
    try (Connection connection = new Connection(factory(Duration.ofMillis(100)))) {
      connection.sendCommand(Command.BLPOP, "nothing", "10");
      assertThatExceptionOfType(JedisConnectionException.class)
          .isThrownBy(connection::getOne)
          .withCauseInstanceOf(SocketTimeoutException.class);
      assertThat(connection.isBroken()).isTrue();
    }
  }

  @Test
  void waitsWithoutEndWhenJedisAsksForIt() {
    try (Connection connection = new Connection(factory(Duration.ofMillis(50)))) {
      connection.setTimeoutInfinite();
      connection.sendCommand(Command.BLPOP, "nothing", "0.3");
      assertThat(connection.getOne()).isNull();
      connection.rollbackTimeout();
      assertThat(connection.ping()).isTrue();
    }
  }

  @Test
  void endsAWaitingReadWhenClosed() throws Exception {
    Socket socket = factory(Duration.ZERO).createSocket();
    InputStream in = socket.getInputStream();
    CompletableFuture<Integer> read = readInBackground(in);
    // Time enough to return, if it did not wait.
    Thread.sleep(100);
    assertThat(read).isNotDone();

    socket.close();

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> read.get(30, TimeUnit.SECONDS))
        .havingCause()
        .withCauseInstanceOf(SocketException.class);
    assertThat(socket.isClosed()).isTrue();
    socket.close();
    assertThatExceptionOfType(SocketException.class).isThrownBy(in::read);
    assertThatExceptionOfType(SocketException.class).isThrownBy(socket::getOutputStream);
    assertThatExceptionOfType(SocketException.class).isThrownBy(() -> socket.setSoTimeout(1));
  }

  @Test
  void endsAWaitingWriteWhenClosed() throws Exception {
    Path silent = directory.resolve("silent-write.sock");
    try (ServerSocketChannel listener = listen(silent, 1)) {
      assertThat(listener.isOpen()).isTrue();
      Socket socket = factory(silent, CONNECT_TIMEOUT, Duration.ZERO).createSocket();
      OutputStream out = socket.getOutputStream();
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try {
                  out.write(new byte[16 * 1024 * 1024]);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      // Time enough to return, if it did not wait.
      Thread.sleep(100);
      assertThat(written).isNotDone();

      socket.close();

      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> written.get(30, TimeUnit.SECONDS))
          .withStackTraceContaining("Socket closed");
    }
  }

  @Test
  void isNotDisturbedByAnInterrupt() throws Exception {
    Thread.currentThread().interrupt();
    try (Connection connection = new Connection(factory(Duration.ofSeconds(5)))) {
      connection.sendCommand(Command.BLPOP, "nothing", "0.2");
      assertThat(connection.getOne()).isNull();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void seesTheEndOfTheStream() throws Exception {
    try (Socket socket = factory(Duration.ofSeconds(5)).createSocket()) {
      socket.getOutputStream().write("QUIT\r\n".getBytes(US_ASCII));
      InputStream in = socket.getInputStream();
      assertThat(in.readAllBytes()).asString().isEqualTo("+OK\r\n");
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.available()).isZero();
      assertThatIOException().isThrownBy(() -> socket.getOutputStream().write(new byte[100]));
    }
  }

  @Test
  void reportsWhatToDoWhenNothingListens() {
    Path missing = directory.resolve("missing.sock");
    assertThatExceptionOfType(JedisConnectionException.class)
        .isThrownBy(factory(missing, CONNECT_TIMEOUT, Duration.ZERO)::createSocket)
        .withMessageContaining(missing.toString())
        .withMessageContaining("unixsocket");
  }

  @Test
  void givesUpConnectingToAServerThatAcceptsNoConnection() throws Exception {
    Path silent = directory.resolve("silent-connect.sock");
    UnixSocketFactory factory = factory(silent, Duration.ofMillis(200), Duration.ZERO);
    List<Socket> queued = new ArrayList<>();
    try (ServerSocketChannel listener = listen(silent, 1)) {
      assertThat(listener.isOpen()).isTrue();
      assertThatExceptionOfType(JedisConnectionException.class)
          .isThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  queued.add(factory.createSocket());
                }
              })
          .withMessageContaining("no reply within 200 ms")
          .withCauseInstanceOf(SocketTimeoutException.class);
    } finally {
      for (Socket socket : queued) {
        socket.close();
      }
      Files.deleteIfExists(silent);
    }
  }

  private static ServerSocketChannel listen(Path socket, int backlog) throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket), backlog);
  }

  private static CompletableFuture<Integer> readInBackground(InputStream in) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return in.read();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
