package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** State of a server for probes. */
class ServerHealthIT {

  @Test
  void aServerIsHealthyWhileItsHeartbeatsArrive() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().ephemeral().start();
        RedisConnection connection = RedisConnection.open(redis.uri());
        TaskServer server =
            ServerFixture.quick(connection, (task, context) -> Outcome.done()).build()) {
      assertThat(server.health().isHealthy()).isFalse();
      assertThat(server.health().state()).isEqualTo(ServerState.NEW);
      assertThat(server.health().lastHeartbeat()).isEmpty();
      assertThat(server.health().lastError()).isEmpty();

      Instant before = connection.clock().instant();
      server.start();
      soon(() -> assertThat(server.health().isHealthy()).isTrue());
      assertThat(server.health().state()).isEqualTo(ServerState.ACTIVE);
      assertThat(server.health().lastHeartbeat().orElseThrow()).isAfterOrEqualTo(before);

      redis.stop();
      soon(() -> assertThat(server.health().isHealthy()).isFalse());
      assertThat(server.health().state()).isEqualTo(ServerState.ACTIVE);
      assertThat(server.health().lastError().orElseThrow().error())
          .isInstanceOf(BrokerUnavailableException.class);

      server.stop();
      assertThat(server.health().state()).isEqualTo(ServerState.CLOSED);
      assertThat(server.health().isHealthy()).isFalse();
    }
  }
}
