package io.asynq4j.internal.redis.watch;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.embedded.EmbeddedCluster;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.SlotMigration;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.StoreWatch.Watch;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.redis.RedisConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterStoreWatchIT extends RedisStoreWatchIT {

  private static final int SLOT = RedisKeys.slot(RedisKeys.prefix(Q));

  @SuppressWarnings("NullAway.Init") // Set when the servers start.
  private EmbeddedCluster cluster;

  @Override
  TestRedis start() {
    cluster = EmbeddedCluster.start();
    return new TestRedis() {
      @Override
      public RedisConfig config() {
        return RedisConfig.parse(cluster.uri());
      }

      @Override
      public List<EmbeddedRedis> primaries() {
        return cluster.nodes();
      }

      @Override
      public void close() {
        cluster.close();
      }
    };
  }

  private EmbeddedRedis another() {
    EmbeddedRedis owner = cluster.nodeOf(SLOT);
    return cluster.nodes().stream().filter(node -> node != owner).findFirst().orElseThrow();
  }

  @Test
  void whenItsSlotHasMovedAQueueIsArmedWhereItIs() {
    Watch watch = liveWatch(List.of(Q));
    cluster.migrateSlot(SLOT, another());

    assertThat(watch.arm(List.of(Q), PENDING)).isEmpty();

    // It could not be armed in its old place, so it is said to be looked at and armed again.
    soon().until(() -> recorded.times("q PENDING") == 1 || recorded.losses.get() > 0);
    awaitNotification(Q, watch);
  }

  @Test
  void aQueueIsPolledWhileItsSlotMoves() {
    push(Q);
    Watch watch = liveWatch(List.of(Q));
    SlotMigration migration = cluster.beginMigration(SLOT, another());
    while (migration.moveKeys(1) > 0) {
      // Until the queue is in its new place, and its slot still in the old one.
    }
    recorded.clear();

    assertThat(watch.arm(List.of(Q), PENDING)).containsExactly(Q);

    soon().until(() -> recorded.times("q PENDING") == 1);
    migration.finish();
    awaitNotification(Q, watch);
  }
}
