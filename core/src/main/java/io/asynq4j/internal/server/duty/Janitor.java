package io.asynq4j.internal.server.duty;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.server.shard.ShardedRunner;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/** Deletes completed and archived tasks after their retention. */
public final class Janitor implements Runnable {

  private static final int MOST = 50;
  private static final Set<QueuePart> KEPT =
      EnumSet.of(QueuePart.COMPLETED, QueuePart.ARCHIVED, QueuePart.SPENT);

  private final DutyContext context;
  private final ShardedRunner expiring;
  private final ShardedRunner trimming;
  private final ShardedRunner sweeping;

  public Janitor(DutyContext context) {
    this.context = context;
    Broker broker = context.broker();
    this.expiring = repeated(queue -> broker.upkeep().expire(queue, MOST));
    this.trimming =
        repeated(queue -> broker.upkeep().trim(queue, MOST, context.config().archive()));
    this.sweeping = repeated(queue -> broker.aggregation().sweep(queue, MOST));
  }

  private ShardedRunner repeated(ToIntFunction<QueueName> deletion) {
    return context.runner(
        "janitor",
        context.config().janitorInterval(),
        queue -> {
          int deleted;
          do {
            deleted = deletion.applyAsInt(queue);
          } while (deleted == MOST);
        });
  }

  @Override
  public void run() {
    Map<QueuePart, Set<QueueName>> kept =
        context.broker().watches().havingEach(context.queues().names(), KEPT);
    try {
      expiring.each(kept.getOrDefault(QueuePart.COMPLETED, Set.of()));
    } finally {
      try {
        trimming.each(kept.getOrDefault(QueuePart.ARCHIVED, Set.of()));
      } finally {
        sweeping.each(kept.getOrDefault(QueuePart.SPENT, Set.of()));
      }
    }
  }
}
