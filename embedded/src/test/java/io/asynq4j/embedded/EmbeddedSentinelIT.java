package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

@Execution(ExecutionMode.CONCURRENT)
class EmbeddedSentinelIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void promotesAReplicaOnDemandAndAfterACrash() {
    EmbeddedSentinel group =
        EmbeddedSentinel.builder()
            .password("data secret")
            .sentinelPassword("watch")
            .masterName("main")
            .start();
    try (group) {
      assertThat(group.sentinels()).hasSize(3).allMatch(s -> s.startsWith("127.0.0.1:"));
      assertThat(group.uri())
          .isEqualTo(
              "redis-sentinel://:watch@" + String.join(",", group.sentinels()) + "?master=main");
      assertThat(group.masterName()).isEqualTo("main");
      assertThat(group.primary().password()).contains("data secret");
      EmbeddedRedis first = group.primary();
      assertThat(group.replicas()).hasSize(2).doesNotContain(first);
      set(first, "key", "value");

      EmbeddedRedis second = group.failover();

      assertThat(second).isNotSameAs(first).isSameAs(group.primary());
      assertThat(first.isRunning()).isTrue();
      assertThat(group.replicas()).hasSize(2).contains(first);
      assertThat(get(second, "key")).isEqualTo("value");
      set(second, "key", "new");
      assertThat(Poll.until(SOON, () -> has(first, "key", "new"))).isTrue();

      EmbeddedRedis third = group.killPrimary();

      assertThat(second.isRunning()).isFalse();
      assertThat(third).isNotSameAs(second).isSameAs(group.primary());
      assertThat(group.replicas()).hasSize(1);
      set(third, "key", "newest");

      second.restart();
      assertThat(Poll.until(SOON, () -> has(second, "key", "newest"))).isTrue();
    }
    assertThat(Stream.concat(group.nodes().stream(), group.sentinelNodes().stream()))
        .hasSize(6)
        .noneMatch(EmbeddedRedis::isRunning);
  }

  /** Sentinel closes the connections of a server that it makes a replica. */
  private static boolean has(EmbeddedRedis redis, String key, String value) {
    try {
      return value.equals(get(redis, key));
    } catch (JedisConnectionException e) {
      return false;
    }
  }

  @Test
  void anOlderRedisFailsOverTooAndItsSentinelsCanBeRestarted() {
    assumeTrue(Platform.current().equals(new Platform("linux", "amd64")));
    RedisBinary binary = RedisBinary.fromClasspath(RedisBinaryTest.REDIS_62);
    try (EmbeddedSentinel group = EmbeddedSentinel.builder().binary(binary).start()) {
      assertThat(group.uri())
          .isEqualTo(
              "redis-sentinel://" + String.join(",", group.sentinels()) + "?master=mymaster");
      EmbeddedRedis former = group.primary();
      EmbeddedRedis promoted = group.killPrimary();
      assertThat(promoted).isNotSameAs(former);

      group.sentinelNodes().forEach(EmbeddedRedis::kill);
      assertThatThrownBy(group::primary)
          .isInstanceOf(EmbeddedRedisException.class)
          .hasMessage("No sentinel responds; restart one of sentinelNodes()");
      group.sentinelNodes().get(1).restart();
      assertThat(group.primary()).isSameAs(promoted);
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
}
