package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

class EmbeddedRedisIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String PASSWORD = "s3cret \"wörd\" \\x+";

  @TempDir Path directory;

  @Test
  void startsOnAFreePortAndAnswers() {
    try (EmbeddedRedis redis = EmbeddedRedis.start();
        EmbeddedRedis other = EmbeddedRedis.start();
        Jedis jedis = new Jedis(URI.create(redis.uri()))) {
      assertThat(jedis.ping()).isEqualTo("PONG");
      assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
      assertThat(redis.host()).isEqualTo("127.0.0.1");
      assertThat(redis.password()).isEmpty();
      assertThat(redis.port()).isNotEqualTo(other.port());
      assertThat(redis.isRunning()).isTrue();
      assertThat(jedis.info("server")).contains("process_id:" + redis.pid());
    }
  }

  @Test
  void startsOnTheChosenPort() {
    int port = FreePort.find(false);
    try (EmbeddedRedis redis = EmbeddedRedis.builder().port(port).start();
        Jedis jedis = new Jedis("127.0.0.1", port)) {
      assertThat(redis.port()).isEqualTo(port);
      assertThat(jedis.ping()).isEqualTo("PONG");
    }
  }

  /** The best of some, for a machine may be busy; it is never quicker than it is. */
  @Test
  @EnabledIfSystemProperty(
      named = "asynq4j.full",
      matches = "true",
      disabledReason = "how fast a Redis starts: run by ./check --full, on a quiet machine")
  void startsWithinHalfASecond() {
    Duration best = Duration.ofMinutes(1);
    for (int i = 0; i < 10; i++) {
      long begun = System.nanoTime();
      EmbeddedRedis.start().close();
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      best = took.compareTo(best) < 0 ? took : best;
    }
    assertThat(best).isLessThan(Duration.ofMillis(500));
  }

  @Test
  void listensOnTheLoopbackAddressOnly() {
    try (EmbeddedRedis redis = EmbeddedRedis.start();
        Jedis jedis = redis.connect()) {
      assertThat(jedis.configGet("bind")).containsEntry("bind", "127.0.0.1");
      assertThat(jedis.configGet("protected-mode")).containsEntry("protected-mode", "yes");
    }
  }

  @Test
  void aBusyPortGivesAClearError() throws IOException {
    try (ServerSocket busy = new ServerSocket()) {
      busy.bind(EmbeddedRedis.address(0));
      assertThatThrownBy(() -> EmbeddedRedis.builder().port(busy.getLocalPort()).start())
          .isInstanceOf(EmbeddedRedisException.class)
          .hasMessageContaining("Port " + busy.getLocalPort() + " of 127.0.0.1 is already in use")
          .hasMessageContaining("choose another port");
    }
  }

  @Test
  void anotherRedisOnThePortIsNotTakenForItsOwn() {
    try (EmbeddedRedis first = EmbeddedRedis.start()) {
      assertThatThrownBy(() -> EmbeddedRedis.builder().port(first.port()).start())
          .hasMessageContaining("already in use");
      assertThat(first.isRunning()).isTrue();
    }
  }

  @Test
  void aDirectiveThatRedisDoesNotKnowIsShownWithoutThePassword() {
    EmbeddedRedis.Builder builder =
        EmbeddedRedis.builder()
            .password(PASSWORD)
            .config("no-such", RedisConfWriter.quote(PASSWORD));

    assertThatThrownBy(builder::start)
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("no-such")
        .hasMessageContaining("***")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void thePasswordIsRequiredAndNotVisibleInTheProcessList() throws IOException {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().password(PASSWORD).start()) {
      try (Jedis stranger = new Jedis("127.0.0.1", redis.port())) {
        assertThatThrownBy(stranger::ping)
            .isInstanceOf(JedisDataException.class)
            .hasMessageContaining("NOAUTH");
      }
      try (Jedis friend =
          new Jedis(
              new HostAndPort("127.0.0.1", redis.port()),
              DefaultJedisClientConfig.builder()
                  .protocol(RedisProtocol.RESP2)
                  .password(PASSWORD)
                  .build())) {
        assertThat(friend.ping()).isEqualTo("PONG");
      }
      assertThat(redis.password()).contains(PASSWORD);
      assertThat(redis.uri())
          .isEqualTo("redis://:s3cret%20%22w%C3%B6rd%22%20%5Cx%2B@127.0.0.1:" + redis.port());
      assertThat(redis.toString()).doesNotContain("s3cret");
      assertThat(ps("args=", family(redis)))
          .contains("redis-server", "watchdog")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void dataSurvivesARestart() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().dataDirectory(directory).start()) {
      set(redis, "key", "value");
      int port = redis.port();
      long pid = redis.pid();

      redis.restart();

      assertThat(redis.port()).isEqualTo(port);
      assertThat(redis.pid()).isNotEqualTo(pid);
      assertThat(get(redis, "key")).isEqualTo("value");
    }
    try (EmbeddedRedis redis = EmbeddedRedis.builder().dataDirectory(directory).start()) {
      assertThat(redis.dataDirectory()).isEqualTo(directory);
      assertThat(get(redis, "key")).isEqualTo("value");
    }
  }

  @Test
  void dataSurvivesAKill() {
    try (EmbeddedRedis redis =
        EmbeddedRedis.builder().dataDirectory(directory).appendFsync("always").start()) {
      set(redis, "key", "value");

      redis.kill();
      assertThat(redis.isRunning()).isFalse();
      redis.restart();

      assertThat(get(redis, "key")).isEqualTo("value");
    }
  }

  @Test
  void waitsWhileALargeAppendOnlyFileIsLoaded() throws IOException {
    StringBuilder commands = new StringBuilder();
    for (int i = 0; i < 200_000; i++) {
      int key = 10_000_000 + i;
      commands.append("*3\r\n$3\r\nSET\r\n$8\r\n").append(key).append("\r\n$1\r\nv\r\n");
    }
    Files.writeString(directory.resolve("appendonly.aof"), commands);

    try (EmbeddedRedis redis = EmbeddedRedis.builder().dataDirectory(directory).start();
        Jedis jedis = redis.connect()) {
      assertThat(jedis.dbSize()).isEqualTo(200_000);
    }
  }

  @Test
  void aDataDirectoryHasOneServerOnly() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().dataDirectory(directory).start()) {
      assertThatThrownBy(() -> EmbeddedRedis.builder().dataDirectory(directory).start())
          .isInstanceOf(EmbeddedRedisException.class)
          .hasMessageContaining(directory.toString())
          .hasMessageContaining("in use");
      assertThat(redis.isRunning()).isTrue();
    }
  }

  @Test
  void anEphemeralServerLeavesNoFiles() {
    Path data;
    try (EmbeddedRedis redis = EmbeddedRedis.start()) {
      data = redis.dataDirectory();
      set(redis, "key", "value");
      assertThat(data).isDirectory();
    }
    assertThat(data.getParent()).doesNotExist();
  }

  @Test
  void stopAndCloseCanBeRepeated() {
    EmbeddedRedis redis = EmbeddedRedis.start();
    long pid = redis.pid();

    redis.stop();
    redis.stop();
    assertThat(redis.isRunning()).isFalse();
    assertThat(redis.pid()).isEqualTo(pid);
    redis.close();
    redis.close();
    redis.stop();

    assertThatThrownBy(redis::restart)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Redis is closed; start a new one");
  }

  @Test
  void anEndFromOutsideIsNoticedAndLeavesNoWatchdog() {
    try (EmbeddedRedis redis = EmbeddedRedis.start()) {
      ProcessHandle server = ProcessHandle.of(redis.pid()).orElseThrow();
      List<ProcessHandle> family = family(redis);
      assertThat(family).hasSize(3);

      server.destroyForcibly();

      assertThat(Poll.closely(SOON, () -> !redis.isRunning())).isTrue();
      assertThat(Poll.closely(SOON, () -> family.stream().allMatch(EmbeddedRedisIT::isGone)))
          .isTrue();
      redis.restart();
      assertThat(get(redis, "key")).isNull();
    }
  }

  @Test
  void anInterruptAtTheTerminalIsNotForTheServer() throws IOException {
    try (EmbeddedRedis redis = EmbeddedRedis.start()) {
      ProcessHandle server = ProcessHandle.of(redis.pid()).orElseThrow();
      assertThat(ps("pgid=", List.of(server)))
          .isNotEqualTo(ps("pgid=", List.of(server.parent().orElseThrow())));
    }
  }

  @Test
  void aPausedServerDoesNotAnswerUntilItIsResumed() {
    try (EmbeddedRedis redis = EmbeddedRedis.start();
        Jedis jedis =
            new Jedis(
                new HostAndPort(redis.host(), redis.port()),
                DefaultJedisClientConfig.builder()
                    .protocol(RedisProtocol.RESP2)
                    .socketTimeoutMillis(200)
                    .build())) {
      jedis.ping();
      redis.pause();
      assertThatThrownBy(jedis::ping).isInstanceOf(JedisConnectionException.class);
      assertThat(redis.isRunning()).isTrue();

      redis.resume();

      set(redis, "key", "value");
      assertThat(get(redis, "key")).isEqualTo("value");
    }
  }

  @Test
  void aPausedServerCanBeStopped() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().dataDirectory(directory).start()) {
      redis.pause();
      redis.stop();
      assertThat(redis.isRunning()).isFalse();
    }
  }

  @Test
  void listensOnAUnixSocketToo() {
    Path socket = directory.resolve("redis.sock");
    try (EmbeddedRedis redis = EmbeddedRedis.builder().unixSocket(socket).start()) {
      assertThat(redis.isRunning()).isTrue();
      assertThat(socket).exists();
    }
    assertThat(socket).doesNotExist();
  }

  @Test
  void furtherDirectivesAreTaken() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().config("maxmemory", "64mb").start();
        Jedis jedis = redis.connect()) {
      assertThat(jedis.configGet("maxmemory")).containsEntry("maxmemory", "67108864");
    }
    assertThatThrownBy(() -> EmbeddedRedis.builder().config("port", "1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> EmbeddedRedis.builder().config("save", "1 1\nport 1"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOlderRedisRunsToo() {
    assumeTrue(Platform.current().equals(new Platform("linux", "amd64")));
    RedisBinary binary = RedisBinary.fromClasspath(RedisBinaryTest.REDIS_62);
    try (EmbeddedRedis redis =
            EmbeddedRedis.builder().binary(binary).dataDirectory(directory).start();
        Jedis jedis = redis.connect()) {
      assertThat(jedis.info("server")).contains("redis_version:6.2.11");
    }
  }

  @Test
  void noProcessAndNoFileIsLeftWhenTheJvmIsKilled() throws Exception {
    Holder holder = Holder.start(directory);
    List<ProcessHandle> family = holder.jvm.descendants().toList();
    assertThat(family).hasSize(3);
    assertThat(holder.server.isAlive()).isTrue();
    assertThat(holder.dataDirectory).exists();

    holder.jvm.destroyForcibly().waitFor();

    assertThat(Poll.closely(SOON, () -> isGone(holder.server))).isTrue();
    assertThat(Poll.closely(SOON, () -> family.stream().allMatch(EmbeddedRedisIT::isGone)))
        .isTrue();
    assertThat(holder.dataDirectory.getParent()).doesNotExist();
  }

  @Test
  void aPausedServerEndsWithItsJvmToo() throws Exception {
    Holder holder = Holder.start(directory);
    new ProcessBuilder("sh", "-c", "kill -STOP " + holder.server.pid()).start().waitFor();

    holder.jvm.destroyForcibly().waitFor();

    assertThat(Poll.closely(SOON, () -> isGone(holder.server))).isTrue();
  }

  @Test
  void theNextJvmGetsTheDataOfAKilledOneAtOnce() throws Exception {
    Path data = Files.createDirectory(directory.resolve("data"));
    Holder holder = Holder.start(directory, data);
    try (Jedis jedis = new Jedis(URI.create(holder.uri))) {
      jedis.set("key", "value");
    }

    holder.jvm.destroyForcibly().waitFor();

    try (EmbeddedRedis redis = EmbeddedRedis.builder().dataDirectory(data).start()) {
      assertThat(holder.server.isAlive()).isFalse();
      assertThat(get(redis, "key")).isEqualTo("value");
    }
  }

  /** The server, and the two shells that watch over it. */
  private static List<ProcessHandle> family(EmbeddedRedis redis) {
    ProcessHandle server = ProcessHandle.of(redis.pid()).orElseThrow();
    ProcessHandle watchdog = server.parent().orElseThrow();
    return Stream.concat(Stream.of(watchdog), watchdog.descendants()).toList();
  }

  private static String ps(String column, List<ProcessHandle> processes) throws IOException {
    List<String> command = new ArrayList<>(List.of("ps", "-ww", "-o", column, "-p"));
    command.add(
        processes.stream().map(p -> Long.toString(p.pid())).collect(Collectors.joining(",")));
    Process ps = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(ps.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** Whether it has ended, even if its parent, such as the first process, has not reaped it yet. */
  private static boolean isGone(ProcessHandle process) {
    try {
      Path status = Path.of("/proc", Long.toString(process.pid()), "stat");
      return !process.isAlive()
          || (Files.exists(status)
              && Files.readString(status, StandardCharsets.ISO_8859_1).contains(") Z "));
    } catch (IOException e) {
      return true;
    }
  }

  private static void set(EmbeddedRedis redis, String key, String value) {
    try (Jedis jedis = redis.connect()) {
      jedis.set(key, value);
    }
  }

  private static String get(EmbeddedRedis redis, String key) {
    try (Jedis jedis = redis.connect()) {
      return jedis.get(key);
    }
  }

  /** Another JVM with a server of its own. */
  private record Holder(Process jvm, ProcessHandle server, Path dataDirectory, String uri) {

    static Holder start(Path directory, Path... data) throws IOException {
      Path report = directory.resolve("report");
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xshare:auto",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  RedisHolderMain.class.getName(),
                  report.toString()));
      for (Path path : data) {
        command.add(path.toString());
      }
      Process jvm =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      assertThat(Poll.closely(SOON, () -> Files.exists(report))).isTrue();
      List<String> lines = Files.readAllLines(report);
      return new Holder(
          jvm,
          ProcessHandle.of(Long.parseLong(lines.get(0))).orElseThrow(),
          Path.of(lines.get(1)),
          lines.get(2));
    }
  }
}
