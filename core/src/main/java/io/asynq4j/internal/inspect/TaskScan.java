package io.asynq4j.internal.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.TaskInspection.Listing;
import io.asynq4j.internal.text.UrlSafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Scans the tasks of a state page by page: loads a page, and advances after it has been processed.
 * Not thread-safe.
 *
 * <p>If tasks are removed during the scan, pending ones are read from the newest, by offset:
 * workers claim at the other end, new tasks shift the offset so that some are returned twice, and
 * removals by this scan are counted. In sorted sets the score of the last task determines the
 * position, even if that task is gone.
 */
public final class TaskScan {

  private static final String OFFSET = "#";

  /** The kind of scan, since two scans from one position may differ. */
  private static final String LOOKING = "s";

  private static final String TAKING_OUT = "b";

  private final Broker broker;
  private final QueueName queue;
  private final TaskState state;
  private final boolean newestFirst;
  private final boolean byOffset;
  private final String way;

  /** Null for a state with one container; otherwise the remaining groups, the current one first. */
  private final @Nullable List<String> groups;

  private @Nullable String cursor;
  private int offset;
  private boolean ended;

  /** The number of tasks at the start; negative while it is unknown. */
  private long total = -1;

  private @Nullable TaskPage page;

  /**
   * @param group only for aggregating tasks: null = all groups
   * @param takesOut whether tasks are removed during the scan
   * @param from position of another scan; null = the beginning
   */
  public TaskScan(
      Broker broker,
      QueueName queue,
      TaskState state,
      @Nullable String group,
      boolean takesOut,
      @Nullable String from) {
    this.broker = broker;
    this.queue = queue;
    this.state = state;
    this.way = takesOut ? TAKING_OUT : LOOKING;
    this.byOffset = takesOut && state == TaskState.PENDING;
    this.newestFirst = takesOut ? byOffset : startsWithNewest(state);
    broker.queues().requireQueue(queue);
    this.groups = state == TaskState.AGGREGATING ? groups(group) : null;
    goTo(from);
    this.ended = groups != null && groups.isEmpty();
  }

  /** Returns whether lists of this state start with the newest task. */
  public static boolean startsWithNewest(TaskState state) {
    return state == TaskState.ARCHIVED || state == TaskState.COMPLETED;
  }

  private List<String> groups(@Nullable String only) {
    Map<String, Long> sizes = new TreeMap<>(broker.queues().groupSizes(queue));
    if (only != null) {
      sizes.keySet().retainAll(List.of(only));
    }
    // The list of groups includes unreadable ones.
    sizes.values().removeIf(size -> size < 0);
    total = sizes.values().stream().mapToLong(Long::longValue).sum();
    return new ArrayList<>(sizes.keySet());
  }

  private void goTo(@Nullable String from) {
    if (from == null) {
      return;
    }
    if (from.startsWith(way.equals(LOOKING) ? TAKING_OUT : LOOKING)) {
      throw new IllegalArgumentException(
          "a search can only resume a search, and an operation only an operation: \""
              + from
              + "\"");
    }
    int dot = from.indexOf('.');
    try {
      String group = UrlSafeText.decode(from.substring(1, dot));
      String inner = from.substring(dot + 1);
      if (groups != null) {
        groups.removeIf(each -> each.compareTo(group) < 0);
        inner = groups.isEmpty() || !groups.get(0).equals(group) ? "" : inner;
      }
      if (inner.startsWith(OFFSET)) {
        offset = Integer.parseInt(inner.substring(OFFSET.length()));
      } else {
        cursor = inner.isEmpty() ? null : inner;
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IllegalArgumentException("invalid scan position \"" + from + "\"", e);
    }
  }

  /** Loads the next page; null at the end. */
  public @Nullable TaskPage load(int most) {
    while (!ended) {
      TaskPage loaded = broker.tasks().list(queue, listing(most));
      total = total < 0 ? loaded.total() : total;
      page = loaded;
      if (rows(loaded) > 0) {
        return loaded;
      }
      nextContainer();
    }
    return null;
  }

  /** Returns the loaded page, shortened so that at most {@code most} of its tasks match. */
  public TaskPage shorten(TaskPage loaded, Predicate<TaskInfo> filter, long most) {
    List<TaskInfo> matching = loaded.tasks().stream().filter(filter).toList();
    if (matching.size() <= most) {
      return loaded;
    }
    int tasks = loaded.tasks().indexOf(matching.get((int) most - 1)) + 1;
    TaskPage shorter = loaded;
    // Unreadable tasks may precede the last one.
    for (int limit = tasks; limit < rows(loaded); limit++) {
      shorter = broker.tasks().list(queue, listing(limit));
      if (shorter.tasks().size() >= tasks) {
        break;
      }
    }
    page = shorter;
    return shorter;
  }

  public static int rows(TaskPage page) {
    return page.tasks().size() + page.unreadable().size();
  }

  private Listing listing(int most) {
    String group = groups == null ? null : groups.get(0);
    return new Listing(state, group, newestFirst, byOffset ? offset : 0, most, cursor);
  }

  /** Advances past the loaded page, of which {@code takenOut} tasks have been removed. */
  public void advance(int takenOut) {
    TaskPage done = page;
    if (done == null) {
      throw new IllegalStateException("no page was loaded");
    }
    page = null;
    if (done.cursor() == null) {
      nextContainer();
    } else if (byOffset) {
      offset += rows(done) - takenOut;
    } else {
      cursor = done.cursor();
    }
  }

  private void nextContainer() {
    cursor = null;
    offset = 0;
    if (groups != null) {
      groups.remove(0);
    }
    ended = groups == null || groups.isEmpty();
  }

  /** Returns the total number of tasks at the start. */
  public long total() {
    return Math.max(0, total);
  }

  /**
   * Returns how many tasks may still be read: tasks that arrive during the scan, possibly because
   * of its action, are excluded.
   */
  long left(long looked) {
    long mostToRead = byOffset ? 2 * total + BulkOperation.PAGE : total;
    return total < 0 ? Long.MAX_VALUE : mostToRead - looked;
  }

  /** Returns whether arriving tasks shift the scan. */
  boolean meetsSomeTwice() {
    return byOffset;
  }

  /** Returns the position for another scan; null at the end. */
  public @Nullable String place() {
    if (ended) {
      return null;
    }
    String group = groups == null ? "" : groups.get(0);
    String inner = byOffset ? OFFSET + offset : cursor == null ? "" : cursor;
    return way + UrlSafeText.encode(group) + "." + inner;
  }
}
