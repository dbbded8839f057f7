package io.asynq4j.internal.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

class LazyNodesTest {

  private final Deque<Supplier<RedisNodes>> findings = new ArrayDeque<>();
  private final LazyNodes nodes = new LazyNodes(() -> findings.removeFirst().get());

  @Test
  void whatWasNotFoundIsLookedForAgainAlsoAfterAnError() throws Exception {
    findings.add(
        () -> {
          throw new JedisConnectionException("made up");
        });
    assertThatThrownBy(nodes::get).hasStackTraceContaining("made up");
    findings.add(
        () -> {
          throw new InternalError("made up");
        });
    assertThatThrownBy(nodes::get).hasStackTraceContaining("made up");
    assertThat(nodes.known()).isNull();
    RedisNodes found = new Unused();
    findings.add(() -> found);

    // In a thread of its own, since it could wait for ever.
    assertThat(CompletableFuture.supplyAsync(nodes::get).get(20, TimeUnit.SECONDS)).isSameAs(found);
    assertThat(nodes.known()).isSameAs(found);
  }

  private static final class Unused implements RedisNodes {
    @Override
    public Connection connectTo(HostAndPort node) {
      throw new UnsupportedOperationException();
    }

    @Override
    public RedisServer serverOf(int slot) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void refresh() {}

    @Override
    public void dropIdle(int slot) {}

    @Override
    public void close() {}
  }
}
