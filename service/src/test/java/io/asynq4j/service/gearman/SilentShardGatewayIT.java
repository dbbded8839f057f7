package io.asynq4j.service.gearman;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.SilentShard;
import io.asynq4j.service.gearman.protocol.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gearman workers while one Redis server of a cluster does not respond. */
class SilentShardGatewayIT {

  /** The keys of the silent server that belong to no queue. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void workersGetJobsOfHealthyServersAndNoLeaseIsOrphaned(int node) {
    try (SilentShard shard = new SilentShard(node);
        RedisConnection redis = shard.connect(SilentShard.VERY_LONG, Duration.ZERO);
        RedisConnection other = shard.connect(Duration.ofSeconds(2), Duration.ofSeconds(10));
        TaskClient client = TaskClient.create(other)) {
      List<String> stuck = shard.queues(true, 2);
      List<String> healthy = shard.queues(false, 2);
      TaskDefinitions definitions = TaskDefinitions.of(redis);
      List<String> all = new ArrayList<>(stuck);
      all.addAll(healthy);
      all.forEach(name -> definitions.put(TaskDefinition.builder(name, TaskKind.WORKER).build()));
      GearmanConfig config =
          GearmanConfig.builder().port(0).drainTimeout(Duration.ofMillis(200)).build();
      List<RawPeer> peers = new ArrayList<>();
      GearmanGateway gateway = GearmanGateway.start(redis, config);
      try {
        RawPeer ofHealthy = worker(gateway, peers, healthy.get(0)).sleep();
        RawPeer ofBoth = worker(gateway, peers, stuck.get(0), healthy.get(1));
        RawPeer ofStuck = worker(gateway, peers, stuck.get(1));
        enqueue(client, stuck.get(0));
        enqueue(client, stuck.get(1));
        shard.pause();

        ofStuck.sleep();
        ofBoth.sleep();
        enqueue(client, healthy.get(0));
        enqueue(client, healthy.get(1));
        ofHealthy.expect(PacketType.NOOP);
        assertThat(ofHealthy.work().get(1)).isEqualTo(healthy.get(0));
        ofBoth.expect(PacketType.NOOP);
        assertThat(ofBoth.work().get(1)).isEqualTo(healthy.get(1));

        shard.resume();
        ofStuck.expect(PacketType.NOOP);
        assertThat(ofStuck.work().get(1)).isEqualTo(stuck.get(1));
        Inspector inspector = Inspector.create(other);
        await().until(() -> inspector.queue(stuck.get(0)).snapshot().size(TaskState.PENDING) == 1);
      } finally {
        shard.resume();
        peers.forEach(RawPeer::close);
        gateway.close();
      }
    }
  }

  private static RawPeer worker(GearmanGateway gateway, List<RawPeer> peers, String... functions) {
    RawPeer worker = new RawPeer(gateway.port());
    peers.add(worker);
    for (String function : functions) {
      worker.send(PacketType.CAN_DO, function);
    }
    return worker;
  }

  private static void enqueue(TaskClient client, String queue) {
    client
        .enqueue(Task.of(queue, Payload.ofUtf8("x")), TaskOptions.of(o -> o.queue(queue)))
        .orThrow();
  }
}
