package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a doctor has found of one kind in one queue. Immutable.
 *
 * @param queue null for what belongs to no queue
 * @param count how many entries are concerned
 * @param repaired how many of them were put right
 * @param sample ids of some of the tasks, or names of what else is concerned
 */
public record Finding(
    FindingKind kind, @Nullable QueueName queue, long count, long repaired, List<String> sample) {

  public Finding {
    sample = List.copyOf(sample);
  }

  /** How many are as they were. */
  public long left() {
    return count - repaired;
  }

  /** Where it was found, for people. */
  public String where() {
    return queue == null ? "in no queue" : "in queue " + queue;
  }

  /** All of it in one line, for people; it holds no payload. */
  @Override
  public String toString() {
    return where()
        + ": "
        + kind.what()
        + " ("
        + kind
        + "): "
        + count
        + " found, "
        + repaired
        + " put right; "
        + kind.why()
        + "; repair: "
        + kind.repair()
        + "; among them "
        + sample;
  }
}
