package io.asynq4j.inspect;

import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Inspection.Listing;
import io.asynq4j.internal.inspect.TaskScan;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a list is wanted, and from which end. Immutable.
 *
 * @param offset how many tasks stand before the page
 * @param limit the most tasks on it
 * @param cursor where the page before ended ({@link TaskPage#cursor()}); wins over the offset.
 *     Tasks that come and go meanwhile shift an offset, and no cursor
 */
public record PageRequest(int offset, int limit, @Nullable String cursor, Direction direction) {

  /** The longest page. */
  public static final int MAX_LIMIT = 10_000;

  /** Which end of a list comes first. */
  public enum Direction {
    /**
     * What people expect: archived and completed tasks newest first, all others in the order in
     * which they run.
     */
    USUAL,
    OLDEST_FIRST,
    NEWEST_FIRST
  }

  public PageRequest {
    if (offset < 0) {
      throw new IllegalArgumentException("the offset of a page must not be negative: " + offset);
    }
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "a page must have 1 to %,d tasks: %,d".formatted(MAX_LIMIT, limit));
    }
  }

  public static PageRequest first(int limit) {
    return at(0, limit);
  }

  public static PageRequest at(int offset, int limit) {
    return new PageRequest(offset, limit, null, Direction.USUAL);
  }

  /**
   * The same behind a page that ended there. The first page when it is null, which says that there
   * is no next one.
   */
  public PageRequest after(@Nullable String newCursor) {
    return new PageRequest(offset, limit, newCursor, direction);
  }

  public PageRequest oldestFirst() {
    return new PageRequest(offset, limit, cursor, Direction.OLDEST_FIRST);
  }

  public PageRequest newestFirst() {
    return new PageRequest(offset, limit, cursor, Direction.NEWEST_FIRST);
  }

  Listing listing(TaskState state, @Nullable String group) {
    boolean newestFirst =
        switch (direction) {
          case USUAL -> TaskScan.startsWithNewest(state);
          case OLDEST_FIRST -> false;
          case NEWEST_FIRST -> true;
        };
    return new Listing(state, group, newestFirst, offset, limit, cursor);
  }
}
