package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Settings that follow from others. */
class TaskServerBuilderTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));

  @AfterEach
  void close() {
    redis.close();
  }

  private TaskServer.Builder server() {
    return TaskServer.builder(redis).handlers((task, context) -> Outcome.done());
  }

  @Test
  void aShortLeaseAloneShortensTheHeartbeat() {
    assertThat(server().lease(Duration.ofSeconds(6)).config().heartbeat())
        .isEqualTo(Duration.ofSeconds(2));
    assertThat(server().lease(Duration.ofSeconds(3)).config().heartbeat())
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aLongLeaseAloneLeavesTheHeartbeatAsItIs() {
    assertThat(server().config().heartbeat()).isEqualTo(Duration.ofSeconds(5));
    assertThat(server().lease(Duration.ofHours(1)).config().heartbeat())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aHeartbeatThatIsSetStaysAsItIs() {
    assertThat(
            server()
                .heartbeat(Duration.ofSeconds(1))
                .lease(Duration.ofSeconds(30))
                .config()
                .heartbeat())
        .isEqualTo(Duration.ofSeconds(1));
  }
}
