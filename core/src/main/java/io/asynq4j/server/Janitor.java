package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Lookout.Part;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToIntFunction;

/** Deletes what has been kept for long enough. */
final class Janitor implements Duty {

  private static final int MOST = 50;

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
    sweep(EnumSet.of(Part.COMPLETED), queue -> broker.upkeep().expire(queue, MOST));
    sweep(EnumSet.of(Part.ARCHIVED), queue -> broker.upkeep().trim(queue, MOST, config.archive()));
    sweep(EnumSet.of(Part.SPENT), queue -> broker.aggregation().sweep(queue, MOST));
    return interval();
  }

  private void sweep(Set<Part> parts, ToIntFunction<QueueName> sweep) {
    EachQueue.of(
        broker.lookout().having(queues.names(), parts),
        queue -> {
          int gone;
          do {
            gone = sweep.applyAsInt(queue);
          } while (gone == MOST);
        });
  }
}
