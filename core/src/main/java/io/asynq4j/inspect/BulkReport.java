package io.asynq4j.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of an action on many tasks. Immutable. */
public sealed interface BulkReport {

  /** The number of tasks that were read. */
  long looked();

  /** The number of tasks that matched. */
  long matched();

  /** The number of tasks to which the action was applied; 0 if it only counted. */
  long done();

  /** The number of tasks to which the action could not be applied. */
  long failed();

  /** The reasons, for the first 1,000 failed tasks. */
  List<Failure> failures();

  /** Where to continue; null if the operation is complete. */
  @Nullable String cursor();

  /** Why it ended early: Redis failed, or the archive was full. Otherwise null. */
  @Nullable String problem();

  /** The number of archived tasks that were deleted to make room for newly archived ones. */
  long dropped();

  /** Whether all tasks were read. */
  default boolean isComplete() {
    return cursor() == null;
  }

  /** Returns a builder of a complete operation on no task. */
  static Builder builder() {
    return new Builder();
  }

  /** The reason why an action was not applied to a task. */
  record Failure(String id, String problem) {}

  /** Builds a {@link BulkReport}. Not thread-safe. */
  final class Builder {
    private long looked;
    private long matched;
    private long done;
    private long failed;
    private List<Failure> failures = List.of();
    private @Nullable String cursor;
    private @Nullable String problem;
    private long dropped;

    private Builder() {}

    public Builder looked(long count) {
      looked = count;
      return this;
    }

    public Builder matched(long count) {
      matched = count;
      return this;
    }

    public Builder done(long count) {
      done = count;
      return this;
    }

    public Builder failed(long count) {
      failed = count;
      return this;
    }

    public Builder failures(List<Failure> some) {
      failures = some;
      return this;
    }

    public Builder cursor(@Nullable String next) {
      cursor = next;
      return this;
    }

    public Builder problem(@Nullable String reason) {
      problem = reason;
      return this;
    }

    public Builder dropped(long count) {
      dropped = count;
      return this;
    }

    public BulkReport build() {
      return new Report(
          looked, matched, done, failed, List.copyOf(failures), cursor, problem, dropped);
    }

    private record Report(
        long looked,
        long matched,
        long done,
        long failed,
        List<Failure> failures,
        @Nullable String cursor,
        @Nullable String problem,
        long dropped)
        implements BulkReport {}

    private record Progress(long looked, long total, long matched, long done, long failed)
        implements BulkProgress {}
  }

  /** The progress of an action on many tasks. Immutable. */
  sealed interface BulkProgress {

    /** The number of tasks that were read. */
    long looked();

    /** The number of tasks at the start. */
    long total();

    /** The number of tasks read that matched. */
    long matched();

    /** The number of tasks to which the action was applied. */
    long done();

    /** The number of tasks to which the action could not be applied. */
    long failed();

    static BulkProgress of(long looked, long total, long matched, long done, long failed) {
      return new Builder.Progress(looked, total, matched, done, failed);
    }
  }
}
