package io.asynq4j.internal.broker;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chores that keep a queue going. Each call does a bounded piece; thread-safe, and safe to run
 * anywhere.
 */
public interface Upkeep {

  /** Moves tasks whose time has come to pending, up to a limit. */
  Forwarded forward(QueueName queue, int limit);

  /**
   * What a forward did.
   *
   * @param moved how many were moved
   * @param nextDue when the next one is due; null when none waits
   */
  record Forwarded(int moved, @Nullable Instant nextDue) {}

  /**
   * Takes tasks away from workers whose lease has run out, up to a limit. When Redis refuses
   * writes, this is refused too, even if the limit is 0 or no lease has run out.
   */
  List<Recovered> recover(
      QueueName queue, int limit, CrashRules crash, QueueRules rules, ArchiveRules archive);

  /** What was done with a task whose worker vanished. */
  record Recovered(String id, Action action) {
    public enum Action {
      PENDING,
      RETRY,
      ARCHIVE,
      /** There was only an id, and no task. */
      DROP
    }
  }

  /**
   * Deletes completed tasks that have been kept for their time, up to a limit. Returns how many.
   */
  int expire(QueueName queue, int limit);

  /** Deletes archived tasks beyond the rules, up to a limit. Returns how many. */
  int trim(QueueName queue, int limit, ArchiveRules archive);

  /**
   * Puts right what interrupted writers left between the active tasks and their leases. Returns how
   * many entries.
   */
  int repair(QueueName queue);

  /**
   * Lists groups that hold tasks and that nobody has listed. Walks over all keys, in small steps.
   * Returns how many.
   */
  int relistGroups(QueueName queue);
}
