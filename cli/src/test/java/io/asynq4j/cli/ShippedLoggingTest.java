package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logging of the command with the shipped configuration. */
class ShippedLoggingTest {

  @ParameterizedTest
  @ValueSource(strings = {"asynq.audit", "io.asynq4j.service.audit", "io.asynq4j.service.requests"})
  void auditAndRequestsAreLogged(String logger) throws IOException {
    Properties properties = new Properties();
    try (InputStream file = Asynq.class.getResourceAsStream("/simplelogger.properties")) {
      properties.load(Objects.requireNonNull(file, "simplelogger.properties"));
    }
    assertThat(properties.getProperty("org.slf4j.simpleLogger.log." + logger)).isEqualTo("info");
  }
}
