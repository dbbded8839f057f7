package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GearmanConfigTest {

  private static Arguments row(
      UnaryOperator<GearmanConfig.Builder> settings, String expectedMessage) {
    return Arguments.of(settings, expectedMessage);
  }

  static Stream<Arguments> outOfRange() {
    return Stream.of(
        row(c -> c.port(65_536), "port must be 0 to 65535, got 65536"),
        row(c -> c.maxFunctions(0), "maxFunctions must be 1 or greater, got 0"),
        row(c -> c.maxPacket(100), "maxPacket must be 1KiB to 64MiB, got 100B"),
        row(c -> c.maxConnections(-1), "maxConnections must be 1 or greater, got -1"),
        row(
            c -> c.firstPacketWithin(Duration.ofMillis(50)),
            "firstPacketWithin must be 100ms or longer, got 50ms"),
        row(c -> c.lease(Duration.ofSeconds(2)), "lease must be 3s to 1h, got 2s"),
        row(c -> c.lease(Duration.ofHours(2)), "lease must be 3s to 1h, got 2h"),
        row(c -> c.jobRetries(-1), "jobRetries must be 0 or greater, got -1"),
        row(
            c -> c.resultRetention(Duration.ofSeconds(1)),
            "resultRetention must be 5s or longer, got 1s"));
  }

  @ParameterizedTest
  @MethodSource("outOfRange")
  void aValueOutOfRangeIsRefusedWithTheRangeAndTheValue(
      UnaryOperator<GearmanConfig.Builder> settings, String expectedMessage) {
    GearmanConfig.Builder config = settings.apply(GearmanConfig.builder());

    assertThatThrownBy(config::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(expectedMessage);
  }
}
