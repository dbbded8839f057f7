package io.asynq4j.service.gearman;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.handler.Mux;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.service.gearman.protocol.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A Redis, gateways on it, their peers, and a server that forwards due tasks. */
final class GatewayFixture implements AutoCloseable {

  final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  final RedisConnection redis = RedisConnection.open(server.uri());
  final Inspector inspector = Inspector.create(redis);
  final TaskDefinitions definitions = TaskDefinitions.of(redis);
  private final TaskServer upkeep =
      TaskServer.builder(redis)
          .queues(q -> q.defined(definition -> ServingMode.UPKEEP))
          .handlers(Mux.builder().build())
          .build();
  private final List<GearmanGateway> gateways = new ArrayList<>();
  private final List<RawPeer> peers = new ArrayList<>();

  void define(String name, UnaryOperator<TaskDefinition.Builder> settings) {
    definitions.put(settings.apply(TaskDefinition.builder(name, TaskKind.WORKER)).build());
  }

  void define(String... names) {
    for (String name : names) {
      define(name, definition -> definition);
    }
  }

  GearmanGateway start() {
    return start(config -> config);
  }

  GearmanGateway start(UnaryOperator<GearmanConfig.Builder> settings) {
    startUpkeep();
    return opened(GearmanGateway.start(redis, settings.apply(config()).build()));
  }

  /** Starts a gateway that relies on notifications and practically never polls. */
  GearmanGateway startWithoutPolling() {
    startUpkeep();
    return opened(GearmanGateway.start(redis, config().build(), Duration.ofHours(10)));
  }

  private void startUpkeep() {
    if (gateways.isEmpty()) {
      upkeep.start();
    }
    upkeep.followDefinitions();
  }

  private static GearmanConfig.Builder config() {
    return GearmanConfig.builder().port(0).drainTimeout(Duration.ofMillis(200));
  }

  private GearmanGateway opened(GearmanGateway gateway) {
    gateways.add(gateway);
    return gateway;
  }

  /** A peer of the gateway that was started last. */
  RawPeer peer() {
    return peer(gateways.get(gateways.size() - 1));
  }

  RawPeer peer(GearmanGateway gateway) {
    RawPeer peer = new RawPeer(gateway.port());
    peers.add(peer);
    return peer;
  }

  /** A worker that offers these functions. */
  RawPeer worker(String... functions) {
    RawPeer worker = peer();
    for (String function : functions) {
      worker.send(PacketType.CAN_DO, function);
    }
    return worker;
  }

  TaskInfo task(String queue, String id) {
    return inspector.queue(queue).task(id);
  }

  List<TaskInfo> tasks(String queue, TaskState state) {
    return inspector.queue(queue).tasks(state, PageRequest.first(100)).tasks();
  }

  long size(String queue, TaskState state) {
    return inspector.queue(queue).snapshot().size(state);
  }

  @Override
  public void close() {
    peers.forEach(RawPeer::close);
    gateways.forEach(GearmanGateway::close);
    upkeep.close();
    redis.close();
    server.close();
  }
}
