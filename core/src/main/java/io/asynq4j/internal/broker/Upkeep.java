package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The maintenance operations of a queue. Each call does a bounded piece of work. Thread-safe, and
 * safe to run on any server.
 */
public interface Upkeep {

  /** Moves due tasks to pending, up to a limit. */
  Forwarded forward(QueueName queue, int limit);

  /**
   * The result of forwarding.
   *
   * @param moved number of moved tasks
   * @param nextDue when the next task is due; null if none waits
   */
  record Forwarded(int moved, @Nullable Instant nextDue) {}

  /**
   * Recovers tasks whose lease has expired, up to a limit. If Redis refuses writes, this is refused
   * too, even if the limit is 0 or no lease has expired.
   */
  List<Recovered> recover(
      QueueName queue, int limit, CrashRules crash, QueueRules rules, ArchiveRules archive);

  /** A task whose worker crashed, and what happened to it. */
  record Recovered(String id, Recovery recovery) {}

  /** Deletes completed tasks after their retention, up to a limit. Returns their number. */
  int expire(QueueName queue, int limit);

  /** Deletes archived tasks beyond the limits, up to {@code limit}. Returns their number. */
  int trim(QueueName queue, int limit, ArchiveRules archive);

  /**
   * Repairs inconsistencies between active tasks and leases that interrupted writers left. Returns
   * the number of entries.
   */
  int repair(QueueName queue);

  /**
   * Lists groups that have tasks but are missing in the list of groups. Scans all keys in small
   * steps. Returns their number.
   */
  int relistGroups(QueueName queue);
}
