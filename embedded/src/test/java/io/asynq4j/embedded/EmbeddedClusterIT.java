package io.asynq4j.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

class EmbeddedClusterIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void itsPrimariesShareAllSlotsAndASlotMovesWithItsKeys() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().password("p w").start()) {
      assertThat(cluster.nodes()).hasSize(3);
      assertThat(cluster.uri())
          .matches("redis-cluster://:p%20w@127\\.0\\.0\\.1:\\d+(,127\\.0\\.0\\.1:\\d+){2}");
      assertThat(IntStream.of(0, 5460, 5461, 10922, 10923, 16383).mapToObj(cluster::nodeOf))
          .containsAll(cluster.nodes());
      for (EmbeddedRedis node : cluster.nodes()) {
        try (Jedis jedis = node.connect()) {
          assertThat(jedis.clusterInfo())
              .contains("cluster_state:ok", "cluster_slots_assigned:16384", "cluster_size:3");
        }
      }

      int slot = fill(cluster);
      EmbeddedRedis source = cluster.nodeOf(slot);
      EmbeddedRedis target = another(cluster, source);

      cluster.migrateSlot(slot, target);

      assertThat(cluster.nodeOf(slot)).isSameAs(target);
      try (Jedis from = source.connect();
          Jedis to = target.connect()) {
        assertThat(to.clusterCountKeysInSlot(slot)).isEqualTo(250);
        assertThat(to.get("{tag}:7")).isEqualTo("value 7");
        assertThatThrownBy(() -> from.get("{tag}:7")).isInstanceOf(JedisMovedDataException.class);
      }
    }
  }

  @Test
  void aSlotOnItsWayMakesItsOldNodeAnswerAsk() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
      int slot = fill(cluster);
      EmbeddedRedis source = cluster.nodeOf(slot);
      EmbeddedRedis target = another(cluster, source);

      SlotMigration migration = cluster.beginMigration(slot, target);
      assertThat(migration.source()).isSameAs(source);
      assertThat(migration.target()).isSameAs(target);
      assertThat(migration.moveKeys(100)).isEqualTo(100);

      try (Jedis from = source.connect();
          Jedis to = target.connect()) {
        assertThat(from.clusterCountKeysInSlot(slot)).isEqualTo(150);
        assertThat(to.clusterCountKeysInSlot(slot)).isEqualTo(100);
        assertThatThrownBy(() -> from.get("{tag}:new")).isInstanceOf(JedisAskDataException.class);
        to.sendCommand(Protocol.Command.ASKING);
        assertThat(to.get("{tag}:new")).isNull();

        migration.finish();

        assertThat(cluster.nodeOf(slot)).isSameAs(target);
        assertThat(to.clusterCountKeysInSlot(slot)).isEqualTo(250);
      }
      assertThatThrownBy(() -> cluster.beginMigration(slot, target))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void theNewNodeOfASlotHasTheGreatestEpochSoThatNoLateMessageTakesTheSlotBack() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
      int slot = fill(cluster);
      EmbeddedRedis source = cluster.nodeOf(slot);
      EmbeddedRedis target = another(cluster, source);
      bumpEpoch(target);
      cluster.awaitEpochs();
      // The target hears of this only some time later, and until then takes its own for the
      // greatest.
      bumpEpoch(source);

      cluster.migrateSlot(slot, target);

      String targetId;
      try (Jedis jedis = target.connect()) {
        targetId = jedis.clusterMyId();
      }
      for (EmbeddedRedis node : cluster.nodes()) {
        Map<String, Long> epochs = EmbeddedCluster.epochs(node);
        assertThat(epochs.values()).doesNotHaveDuplicates();
        assertThat(epochs).containsEntry(targetId, Collections.max(epochs.values()));
      }
    }
  }

  private static void bumpEpoch(EmbeddedRedis node) {
    try (Jedis jedis = node.connect()) {
      jedis.sendCommand(Protocol.Command.CLUSTER, "BUMPEPOCH");
    }
  }

  @Test
  void aReplicaTakesOverFromADeadPrimary() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().replicas(1).start()) {
      assertThat(cluster.nodes()).hasSize(6);
      EmbeddedRedis primary = cluster.nodeOf(0);

      primary.kill();

      assertThat(Poll.until(SOON, () -> cluster.nodeOf(0) != primary)).isTrue();
    }
  }

  @Test
  void anOlderRedisFormsAClusterToo() {
    assumeTrue(Platform.current().equals(new Platform("linux", "amd64")));
    RedisBinary binary = RedisBinary.fromClasspath(RedisBinaryTest.REDIS_62);
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().binary(binary).start()) {
      int slot = fill(cluster);
      EmbeddedRedis target = another(cluster, cluster.nodeOf(slot));
      cluster.migrateSlot(slot, target);
      assertThat(cluster.nodeOf(slot)).isSameAs(target);
    }
  }

  private static int fill(EmbeddedCluster cluster) {
    int slot;
    try (Jedis any = cluster.nodes().get(0).connect()) {
      slot = (int) any.clusterKeySlot("{tag}");
    }
    try (Jedis jedis = cluster.nodeOf(slot).connect()) {
      for (int i = 0; i < 250; i++) {
        jedis.set("{tag}:" + i, "value " + i);
      }
    }
    return slot;
  }

  private static EmbeddedRedis another(EmbeddedCluster cluster, EmbeddedRedis node) {
    return cluster.nodes().stream().filter(n -> n != node).findFirst().orElseThrow();
  }
}
