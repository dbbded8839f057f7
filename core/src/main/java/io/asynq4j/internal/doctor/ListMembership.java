package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Diagnostics;
import io.asynq4j.internal.broker.Diagnostics.Members;
import io.asynq4j.internal.broker.Diagnostics.Seen;
import io.asynq4j.internal.inspect.HashedIdSet;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The IDs in the two lists of a queue. A membership query would scan the list, so one scan serves
 * all IDs. Not thread-safe.
 */
final class ListMembership {

  static final List<String> NAMES = List.of("pending", "active");

  private final Instant since;
  private final Occurrences pending = new Occurrences();
  private final Occurrences active = new Occurrences();

  private ListMembership(Instant since) {
    this.since = since;
  }

  /** IDs that were seen, and those that were seen more than once. */
  private static final class Occurrences {
    private final HashedIdSet once = new HashedIdSet();
    private final HashedIdSet twice = new HashedIdSet();

    int times(String id) {
      return twice.contains(id) ? 2 : once.contains(id) ? 1 : 0;
    }
  }

  /**
   * Scans both lists.
   *
   * @param only IDs to remember; null for all
   * @param goesOn checked before each step; false ends the scan early
   */
  static ListMembership walk(
      Diagnostics diagnostics,
      QueueName queue,
      Instant now,
      @Nullable Set<String> only,
      BooleanSupplier goesOn) {
    ListMembership lists = new ListMembership(now);
    lists.walk(diagnostics, queue, "pending", lists.pending, only, goesOn);
    lists.walk(diagnostics, queue, "active", lists.active, only, goesOn);
    return lists;
  }

  private void walk(
      Diagnostics diagnostics,
      QueueName queue,
      String list,
      Occurrences met,
      @Nullable Set<String> only,
      BooleanSupplier goesOn) {
    String cursor = "";
    do {
      Members page = diagnostics.members(queue, list, cursor);
      // Tasks that arrived since the last page have shifted its end into this one.
      boolean isPushed = !cursor.isEmpty();
      for (String id : page.members()) {
        if (only != null && !only.contains(id)) {
          continue;
        }
        if (met.once.add(id)) {
          isPushed = false;
        } else if (!isPushed) {
          met.twice.add(id);
        }
      }
      cursor = page.next();
    } while (!cursor.isEmpty() && goesOn.getAsBoolean());
  }

  Seen of(String id) {
    return new Seen(pending.times(id), active.times(id), since);
  }
}
