package io.asynq4j.internal.redis.watch;

import static io.asynq4j.fixture.BrokerFixture.Q;

import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedSentinel;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.StoreWatch.Watch;
import io.asynq4j.redis.RedisConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

class SentinelStoreWatchIT extends RedisStoreWatchIT {

  private final EmbeddedSentinel sentinel = EmbeddedSentinel.start();

  @Override
  TestRedis start() {
    return new TestRedis() {
      @Override
      public RedisConfig config() {
        return RedisConfig.parse(sentinel.uri());
      }

      @Override
      public List<EmbeddedRedis> primaries() {
        return List.of(sentinel.primary());
      }

      @Override
      public void close() {
        sentinel.close();
      }
    };
  }

  @Test
  void afterAFailoverTheNewPrimarySendsNotifications() {
    Watch watch = liveWatch(List.of(Q));

    sentinel.failover();

    soon().until(() -> recorded.losses.get() > 0);
    awaitNotification(Q, watch);
  }
}
