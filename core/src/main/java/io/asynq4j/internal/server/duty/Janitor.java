package io.asynq4j.internal.server.duty;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/** Deletes completed and archived tasks after their retention. */
public final class Janitor implements Duty {

  private static final int MOST = 50;
  private static final Set<QueuePart> KEPT =
      EnumSet.of(QueuePart.COMPLETED, QueuePart.ARCHIVED, QueuePart.SPENT);

  private final ServerConfig config;
  private final Broker broker;
  private final ServedQueues queues;

  private final ShardedRunner expiring;
  private final ShardedRunner trimming;
  private final ShardedRunner sweeping;

  public Janitor(ServerConfig config, Broker broker, ServedQueues queues, ShardTopology shards) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
    this.expiring = lanes(shards, queue -> broker.upkeep().expire(queue, MOST));
    this.trimming = lanes(shards, queue -> broker.upkeep().trim(queue, MOST, config.archive()));
    this.sweeping = lanes(shards, queue -> broker.aggregation().sweep(queue, MOST));
  }

  private ShardedRunner lanes(ShardTopology shards, ToIntFunction<QueueName> sweep) {
    return new ShardedRunner(
        name(),
        shards,
        config.janitorInterval(),
        queue -> {
          int gone;
          do {
            gone = sweep.applyAsInt(queue);
          } while (gone == MOST);
          return true;
        });
  }

  @Override
  public String name() {
    return "janitor";
  }

  @Override
  public Duration interval() {
    return config.janitorInterval();
  }

  @Override
  public Duration run() {
    Map<QueuePart, Set<QueueName>> kept = broker.watches().havingEach(queues.names(), KEPT);
    try {
      expiring.each(kept.getOrDefault(QueuePart.COMPLETED, Set.of()));
    } finally {
      try {
        trimming.each(kept.getOrDefault(QueuePart.ARCHIVED, Set.of()));
      } finally {
        sweeping.each(kept.getOrDefault(QueuePart.SPENT, Set.of()));
      }
    }
    return interval();
  }
}
