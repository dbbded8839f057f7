package io.asynq4j.inspect;

import io.asynq4j.internal.text.ValueText;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an operation on many tasks has done. Immutable. */
public final class BulkReport {

  private final long looked;
  private final long matched;
  private final long done;
  private final long failed;
  private final List<Failure> failures;
  private final @Nullable String cursor;
  private final @Nullable String problem;
  private final long dropped;

  private BulkReport(Builder builder) {
    this.looked = builder.looked;
    this.matched = builder.matched;
    this.done = builder.done;
    this.failed = builder.failed;
    this.failures = List.copyOf(builder.failures);
    this.cursor = builder.cursor;
    this.problem = builder.problem;
    this.dropped = builder.dropped;
  }

  /**
   * A complete operation on no task, to start from: for tests and fakes; the library makes all
   * others.
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with the values of this object. */
  public Builder toBuilder() {
    return new Builder()
        .looked(looked)
        .matched(matched)
        .done(done)
        .failed(failed)
        .failures(failures)
        .cursor(cursor)
        .problem(problem)
        .dropped(dropped);
  }

  /** How many tasks it has looked at. */
  public long looked() {
    return looked;
  }

  /** How many of them were wanted. */
  public long matched() {
    return matched;
  }

  /** How many of those it has dealt with; 0 when it only counted. */
  public long done() {
    return done;
  }

  /** How many of those it could not deal with. */
  public long failed() {
    return failed;
  }

  /** Why it could not, for each of the first thousand tasks. */
  public List<Failure> failures() {
    return failures;
  }

  /** Where to go on; null when it is complete. */
  public @Nullable String cursor() {
    return cursor;
  }

  /** Why it ended early, when Redis failed on the way or the archive was full; else null. */
  public @Nullable String problem() {
    return problem;
  }

  /** How many archived tasks were deleted to make room for those that were archived. */
  public long dropped() {
    return dropped;
  }

  /**
   * Why something could not be done with a task.
   *
   * @param problem in words
   */
  public record Failure(String id, String problem) {}

  /** Whether it has looked at everything. */
  public boolean isComplete() {
    return cursor == null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BulkReport that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "BulkReport", "looked matched done failed failures cursor problem dropped", values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(looked, matched, done, failed, failures, cursor, problem, dropped);
  }

  /** Collects the values of a {@link BulkReport}. Not thread-safe. */
  public static final class Builder {
    private long looked;
    private long matched;
    private long done;
    private long failed;
    private List<Failure> failures = List.of();
    private @Nullable String cursor;
    private @Nullable String problem;
    private long dropped;

    private Builder() {}

    public Builder looked(long looked) {
      this.looked = looked;
      return this;
    }

    public Builder matched(long matched) {
      this.matched = matched;
      return this;
    }

    public Builder done(long done) {
      this.done = done;
      return this;
    }

    public Builder failed(long failed) {
      this.failed = failed;
      return this;
    }

    public Builder failures(List<Failure> failures) {
      this.failures = failures;
      return this;
    }

    public Builder cursor(@Nullable String cursor) {
      this.cursor = cursor;
      return this;
    }

    public Builder problem(@Nullable String problem) {
      this.problem = problem;
      return this;
    }

    public Builder dropped(long dropped) {
      this.dropped = dropped;
      return this;
    }

    public BulkReport build() {
      return new BulkReport(this);
    }
  }

  /** How far an operation on many tasks has come. Immutable. */
  public static final class BulkProgress {

    private final long looked;
    private final long total;
    private final long matched;
    private final long done;
    private final long failed;

    private BulkProgress(long looked, long total, long matched, long done, long failed) {
      this.looked = looked;
      this.total = total;
      this.matched = matched;
      this.done = done;
      this.failed = failed;
    }

    public static BulkProgress of(long looked, long total, long matched, long done, long failed) {
      return new BulkProgress(looked, total, matched, done, failed);
    }

    /** How many tasks it has looked at. */
    public long looked() {
      return looked;
    }

    /** How many there were when it began. */
    public long total() {
      return total;
    }

    /** How many of those it has looked at are wanted. */
    public long matched() {
      return matched;
    }

    /** How many of those it has dealt with. */
    public long done() {
      return done;
    }

    /** How many of those it could not deal with. */
    public long failed() {
      return failed;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof BulkProgress that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
      return values().hashCode();
    }

    @Override
    public String toString() {
      return ValueText.of("BulkProgress", "looked total matched done failed", values());
    }

    private List<@Nullable Object> values() {
      return Arrays.asList(looked, total, matched, done, failed);
    }
  }
}
