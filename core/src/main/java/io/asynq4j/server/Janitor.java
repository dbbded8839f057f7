package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Lookout.Part;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/** Deletes what has been kept for long enough. */
final class Janitor implements Duty {

  private static final int MOST = 50;
  private static final Set<Part> KEPT = EnumSet.of(Part.COMPLETED, Part.ARCHIVED, Part.SPENT);

  private final ServerConfig config;
  private final Broker broker;
  private final Queues queues;

  private final ShardLanes expiring;
  private final ShardLanes trimming;
  private final ShardLanes sweeping;

  Janitor(ServerConfig config, Broker broker, Queues queues, Shards shards) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
    this.expiring = lanes(shards, queue -> broker.upkeep().expire(queue, MOST));
    this.trimming = lanes(shards, queue -> broker.upkeep().trim(queue, MOST, config.archive()));
    this.sweeping = lanes(shards, queue -> broker.aggregation().sweep(queue, MOST));
  }

  private ShardLanes lanes(Shards shards, ToIntFunction<QueueName> sweep) {
    return new ShardLanes(
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
    Map<Part, Set<QueueName>> kept = broker.lookout().havingEach(queues.names(), KEPT);
    try {
      expiring.each(kept.getOrDefault(Part.COMPLETED, Set.of()));
    } finally {
      try {
        trimming.each(kept.getOrDefault(Part.ARCHIVED, Set.of()));
      } finally {
        sweeping.each(kept.getOrDefault(Part.SPENT, Set.of()));
      }
    }
    return interval();
  }
}
