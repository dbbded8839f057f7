package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.inspect.Diagnostics.Seen;
import io.asynq4j.internal.broker.inspect.KeyspaceScan;
import io.asynq4j.internal.broker.inspect.KeyspaceScan.Members;
import io.asynq4j.internal.inspect.HashedIdSet;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The IDs in the two lists of a queue. A membership query would scan the list, so one scan serves
 * all IDs. Not thread-safe.
 */
final class ListMembership {

  static final List<String> NAMES = List.of("pending", "active");

  private final Instant since;
  private final Occurrences pending;
  private final Occurrences active;

  /** IDs that were seen, and those that were seen more than once. */
  private static final class Occurrences {
    private final HashedIdSet once = new HashedIdSet();
    private final HashedIdSet twice = new HashedIdSet();

    Occurrences(Function<String, Members> pages, Predicate<String> only, BooleanSupplier goesOn) {
      String cursor = "";
      do {
        Members page = pages.apply(cursor);
        // Tasks that arrived since the last page have shifted its end into this one.
        boolean isPushed = !cursor.isEmpty();
        for (String id : page.members()) {
          if (only.test(id)) {
            if (once.add(id)) {
              isPushed = false;
            } else if (!isPushed) {
              twice.add(id);
            }
          }
        }
        cursor = page.next();
      } while (!cursor.isEmpty() && goesOn.getAsBoolean());
    }

    int times(String id) {
      return twice.contains(id) ? 2 : once.contains(id) ? 1 : 0;
    }
  }

  /**
   * Scans both lists.
   *
   * @param only IDs to remember
   * @param goesOn checked before each step; false ends the scan early
   */
  ListMembership(Broker broker, QueueName queue, Predicate<String> only, BooleanSupplier goesOn) {
    this.since = broker.clock().instant();
    KeyspaceScan keys = broker.keyspace();
    this.pending = new Occurrences(at -> keys.members(queue, "pending", at), only, goesOn);
    this.active = new Occurrences(at -> keys.members(queue, "active", at), only, goesOn);
  }

  Seen of(String id) {
    return new Seen(pending.times(id), active.times(id), since);
  }
}
