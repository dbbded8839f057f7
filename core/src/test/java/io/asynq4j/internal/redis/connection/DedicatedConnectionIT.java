package io.asynq4j.internal.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.fixture.TestRedis;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;

class DedicatedConnectionIT {

  private static final long PATIENCE_SECONDS = 60;

  @Test
  void aReaderThatWaitsForAMessageIsReleasedWhenTheConnectionIsCut() throws InterruptedException {
    try (TestRedis server = TestRedis.standalone()) {
      DedicatedConnection connection = open(server);
      connection.executeCommand(new CommandArguments(Command.SUBSCRIBE).add("nothing"));
      connection.setTimeoutInfinite();
      CompletableFuture<Object> message =
          CompletableFuture.supplyAsync(connection::getUnflushedObject);

      connection.cut();

      assertThatThrownBy(() -> message.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(JedisConnectionException.class);
      assertThat(connection.isBroken()).isTrue();
      assertThat(connection.isConnected()).isFalse();
    }
  }

  @Test
  void aConnectionThatWasMadeAgainIsCutAsWell() {
    try (TestRedis server = TestRedis.standalone()) {
      DedicatedConnection connection = open(server);
      connection.cut();
      connection.cut();
      connection.connect();
      assertThat(connection.isConnected()).isTrue();

      connection.cut();

      assertThat(connection.isConnected()).isFalse();
    }
  }

  private static DedicatedConnection open(TestRedis server) {
    JedisClientConfig config = DefaultJedisClientConfig.builder().build();
    EmbeddedRedis redis = server.primaries().get(0);
    HostAndPort address = new HostAndPort(redis.host(), redis.port());
    return new DedicatedConnection(new DefaultJedisSocketFactory(address, config), config);
  }
}
