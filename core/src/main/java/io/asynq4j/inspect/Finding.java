package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a doctor has found of one kind in one queue. Immutable. */
public final class Finding {

  private final FindingKind kind;
  private final @Nullable QueueName queue;
  private final long count;
  private final long repaired;
  private final List<String> sample;

  private Finding(
      FindingKind kind, @Nullable QueueName queue, long count, long repaired, List<String> sample) {
    this.kind = kind;
    this.queue = queue;
    this.count = count;
    this.repaired = repaired;
    this.sample = List.copyOf(sample);
  }

  public static Finding of(
      FindingKind kind, @Nullable QueueName queue, long count, long repaired, List<String> sample) {
    return new Finding(kind, queue, count, repaired, sample);
  }

  /** What is amiss. */
  public FindingKind kind() {
    return kind;
  }

  /** The queue that is concerned; null for what belongs to no queue. */
  public @Nullable QueueName queue() {
    return queue;
  }

  /** How many entries are concerned. */
  public long count() {
    return count;
  }

  /** How many of them were put right. */
  public long repaired() {
    return repaired;
  }

  /** Ids of some of the tasks, or names of what else is concerned. */
  public List<String> sample() {
    return sample;
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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Finding that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(kind, queue, count, repaired, sample);
  }
}
