package io.asynq4j.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.redis.RedisConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionSettingsTest {

  private static ConnectionSettings of(Map<String, Object> values) {
    return ConnectionSettings.of(values);
  }

  @Test
  void noCommandFallsBackToTheLocalRedis() {
    assertThat(ConnectionSettings.NONE.toString()).isEqualTo("redis://127.0.0.1:6379");
  }

  @Test
  void theFlagsOfTheOriginalMakeAllItsPlaces() {
    assertThat(of(Map.of("uri", "h:1", "db", 3, "username", "u", "password", "p")).toString())
        .isEqualTo("redis://u@h:1/3");
    assertThat(of(Map.of("cluster", true)).toConfig().endpoints()).hasSize(6);
    assertThat(of(Map.of("cluster", true, "cluster_addrs", "a:1,b:2", "tls", true)).toString())
        .isEqualTo("rediss-cluster://a:1,b:2");
    RedisConfig secured =
        of(Map.of("uri", "h:1", "tls", true, "tls_server", "redis.test")).toConfig();
    assertThat(secured.tls().orElseThrow().serverName()).contains("redis.test");
    assertThat(of(Map.of("insecure", true)).toConfig().tls().orElseThrow().verifyCertificate())
        .isFalse();
  }

  @Test
  void addressesAreShownWithoutPasswords() {
    assertThat(of(Map.of("redis", "redis-sentinel://:x@a,b/2?master=m&password=p")).toString())
        .isEqualTo("redis-sentinel://a:26379,b:26379/2?master=m");
    assertThat(of(Map.of("redis", "redis-socket:///run/redis.sock?db=1")).toString())
        .isEqualTo("redis-socket:///run/redis.sock?db=1");
  }

  @Test
  void timeoutsAreShortForInteractiveUse() {
    assertThat(ConnectionSettings.NONE.toConfig().connectTimeout())
        .isEqualTo(Duration.ofSeconds(2));
    assertThat(of(Map.of("redis", "redis://h?connectTimeout=9s")).toConfig().connectTimeout())
        .isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void anInvalidUrlIsReportedAsItWasGiven() {
    assertThatThrownBy(() -> of(Map.of("redis", "http://h")).toConfig())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'http://h'");
  }

  @Test
  void aSourceUsesItsPasswordOnlyForItsOwnAddress() {
    ConnectionSettings file = of(Map.of("uri", "prod:1", "password", "p"));
    assertThat(of(Map.of("uri", "other:1")).orElse(file).password()).isNull();
    assertThat(of(Map.of("db", 2)).orElse(file).password()).isEqualTo("p");
    assertThat(of(Map.of("uri", "other:1")).orElse(of(Map.of("password", "q"))).password())
        .isEqualTo("q");
  }

  @Test
  void variablesHaveAPrefix() {
    assertThat(ConnectionSettings.ofVariables(Map.of("PASSWORD", "x", "USERNAME", "y")).isEmpty())
        .isTrue();
    assertThat(
            ConnectionSettings.ofVariables(
                    Map.of("ASYNQ_CLUSTER", "true", "ASYNQ_CLUSTER_ADDRS", "a:1"))
                .toString())
        .isEqualTo("redis-cluster://a:1");
  }
}
