package io.asynq4j.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;
import static io.asynq4j.internal.codec.ArgumentValidator.requireBetween;

import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The page of a list to return: {@code PageRequest.first(50).after(previous.cursor())}. Immutable.
 *
 * @param offset number of tasks before the page
 * @param limit maximum number of tasks on the page
 * @param cursor end of the previous page ({@link TaskPage#cursor()}); takes precedence over the
 *     offset. Unlike an offset, it is not shifted by tasks that arrive or leave
 */
public record PageRequest(int offset, int limit, @Nullable String cursor, Direction direction) {

  /** The largest {@link #limit}. */
  public static final int MAX_LIMIT = 10_000;

  /** The order of a list. */
  public enum Direction {
    /** Archived and completed tasks newest first, all others in the order in which they run. */
    USUAL,
    OLDEST_FIRST,
    NEWEST_FIRST
  }

  public PageRequest {
    Objects.requireNonNull(direction, "direction");
    requireAtLeast(0, offset, "the offset of a page");
    requireBetween(1, MAX_LIMIT, limit, "the limit of a page");
  }

  public static PageRequest first(int limit) {
    return at(0, limit);
  }

  public static PageRequest at(int offset, int limit) {
    return new PageRequest(offset, limit, null, Direction.USUAL);
  }

  /** Returns a request for the page after this cursor; null requests the first page. */
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
        direction == Direction.NEWEST_FIRST || (direction == Direction.USUAL && state.isFinal());
    return new Listing(state, group, newestFirst, offset, limit, cursor);
  }
}
