package io.asynq4j.internal.server.duty;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import java.time.Duration;
import java.util.function.Consumer;

/** The parts of a server that its duties use. */
public record DutyContext(
    ServerConfig config, Broker broker, ServedQueues queues, ShardTopology shards) {

  /**
   * Returns a runner that calls Redis for queues, isolated by Redis server.
   *
   * @param rest the pause after a server was unreachable
   */
  ShardedRunner runner(String name, Duration rest, Consumer<QueueName> action) {
    return new ShardedRunner(name, shards, rest, ShardedRunner.calling(action));
  }
}
