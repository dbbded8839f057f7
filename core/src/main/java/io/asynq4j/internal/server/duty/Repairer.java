package io.asynq4j.internal.server.duty;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.server.shard.ShardedRunner;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repairs what interrupted writers have left behind. */
public final class Repairer implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Repairer.class);

  private static final Set<QueuePart> RUNNING = EnumSet.of(QueuePart.ACTIVE, QueuePart.LEASE);

  /** Number of runs between two searches for groups, since a search scans all keys. */
  private static final int GROUPS_EACH = 60;

  private final DutyContext context;
  private final ShardedRunner repairing;
  private final ShardedRunner relisting;
  private int runs;

  public Repairer(DutyContext context) {
    this.context = context;
    Duration interval = context.config().repairInterval();
    this.repairing = context.runner("repairer", interval, this::repair);
    this.relisting = context.runner("repairer", interval, this::relistGroups);
  }

  @Override
  public void run() {
    boolean lookForGroups = context.config().groups() != null && runs++ % GROUPS_EACH == 0;
    repairing.each(context.broker().watches().having(context.queues().names(), RUNNING));
    if (lookForGroups) {
      relisting.each(context.queues().names());
    }
  }

  private void repair(QueueName queue) {
    int repaired = context.broker().upkeep().repair(queue);
    if (repaired > 0) {
      log.warn(
          "repaired {} entries of queue {} that an interrupted writer left behind",
          repaired,
          queue);
    }
  }

  private void relistGroups(QueueName queue) {
    int found = context.broker().upkeep().relistGroups(queue);
    if (found > 0) {
      log.warn(
          "listed {} groups of queue {} that were missing in the list of groups", found, queue);
    }
  }
}
