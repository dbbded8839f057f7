package io.asynq4j.redis;

import io.asynq4j.RestartServersAfterFailure;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** One server for a class of tests, emptied before each of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
abstract class RedisTestBase {

  private @Nullable TestRedis server;
  private BrokerFixture redis;

  abstract TestRedis start();

  @BeforeAll
  void startServer() {
    server = start();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(Objects.requireNonNull(server));
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  public BrokerFixture redis() {
    return redis;
  }
}
