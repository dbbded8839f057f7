package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Invalid settings are refused with the setting, its limits and the value. */
class BuilderTest {

  private static void assertRefused(ThrowingCallable setting, String message) {
    assertThatThrownBy(setting).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void invalidSettingsOfAServerAreRefused() {
    assertRefused(
        () -> EmbeddedRedis.builder().port(65_536), "port must be 0 to 65,535, got 65536");
    assertRefused(
        () -> EmbeddedRedis.builder().appendFsync("hourly"),
        "appendFsync must be always, everysec or no, got hourly");
    assertRefused(
        () -> EmbeddedRedis.builder().password(""),
        "password must not be empty; leave it out for none");
    assertRefused(
        () -> EmbeddedRedis.builder().config("Port", "1"),
        "the directive Port is set by this builder; use its methods instead");
    assertRefused(
        () -> EmbeddedRedis.builder().config("masterauth", "secret\nport 1"),
        "config must be one line of redis.conf, got directive \"masterauth\"");
  }

  @Test
  void invalidSettingsOfGroupsAreRefused() {
    assertRefused(
        () -> EmbeddedCluster.builder().replicas(-1), "replicas must be 0 or greater, got -1");
    assertRefused(
        () -> EmbeddedSentinel.builder().masterName("a b"),
        "masterName must have only letters, digits, dots, underscores and dashes, got a b");
  }

  @Test
  void syncingAlwaysIsRefusedWithoutADataDirectory() {
    EmbeddedRedis.Builder ephemeral = EmbeddedRedis.builder().appendFsync("always");

    assertThatThrownBy(ephemeral::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("without dataDirectory(…) nothing is kept on disk: set both");
  }
}
