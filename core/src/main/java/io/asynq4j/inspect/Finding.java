package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The inconsistencies of one kind that the doctor found in one queue. Immutable. */
public sealed interface Finding permits FindingRecord {

  /** The kind of inconsistency. */
  FindingKind kind();

  /** The queue; null if the inconsistency belongs to no queue. */
  @Nullable QueueName queue();

  /** The number of affected tasks or other entries. */
  long count();

  /** The number of repaired ones. */
  long repaired();

  /** The IDs of some of the tasks, or names of other entries. */
  List<String> sample();

  /** The number that was not repaired. */
  default long left() {
    return count() - repaired();
  }

  /** The place as text, such as {@code in queue mail}. */
  default String where() {
    return queue() == null ? "in no queue" : "in queue " + queue();
  }

  static Finding of(
      FindingKind kind, @Nullable QueueName queue, long count, long repaired, List<String> sample) {
    return new FindingRecord(kind, queue, count, repaired, List.copyOf(sample));
  }
}
