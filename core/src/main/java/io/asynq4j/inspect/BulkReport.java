package io.asynq4j.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operation on many tasks has done. Immutable.
 *
 * @param looked how many tasks it has looked at
 * @param matched how many of them were wanted
 * @param done how many of those it has dealt with; 0 when it only counted
 * @param failed with how many of those it could not
 * @param failures why, for each of the first thousand
 * @param cursor where to go on; null when it is complete
 * @param problem why it ended early, when Redis failed on the way or the archive was full; else
 *     null
 * @param dropped how many archived tasks were deleted to make room for those that were archived
 */
public record BulkReport(
    long looked,
    long matched,
    long done,
    long failed,
    List<Failure> failures,
    @Nullable String cursor,
    @Nullable String problem,
    long dropped) {

  /**
   * Why something could not be done with a task.
   *
   * @param problem in words
   */
  public record Failure(String id, String problem) {}

  /** Of an operation that makes no room in an archive. */
  public BulkReport(
      long looked,
      long matched,
      long done,
      long failed,
      List<Failure> failures,
      @Nullable String cursor,
      @Nullable String problem) {
    this(looked, matched, done, failed, failures, cursor, problem, /* dropped= */ 0);
  }

  public BulkReport {
    failures = List.copyOf(failures);
  }

  /** Whether it has looked at everything. */
  public boolean isComplete() {
    return cursor == null;
  }
}
