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

  Janitor(ServerConfig config, Broker broker, Queues queues) {
    this.config = config;
    this.broker = broker;
    this.queues = queues;
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
    sweep(kept, Part.COMPLETED, queue -> broker.upkeep().expire(queue, MOST));
    sweep(kept, Part.ARCHIVED, queue -> broker.upkeep().trim(queue, MOST, config.archive()));
    sweep(kept, Part.SPENT, queue -> broker.aggregation().sweep(queue, MOST));
    return interval();
  }

  private static void sweep(
      Map<Part, Set<QueueName>> kept, Part part, ToIntFunction<QueueName> sweep) {
    EachQueue.of(
        kept.getOrDefault(part, Set.of()),
        queue -> {
          int gone;
          do {
            gone = sweep.applyAsInt(queue);
          } while (gone == MOST);
        });
  }
}
