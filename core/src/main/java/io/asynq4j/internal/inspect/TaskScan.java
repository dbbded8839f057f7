package io.asynq4j.internal.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
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

  /** The remaining groups, the current one first; a state without groups has one that is empty. */
  private final List<String> groups;

  private @Nullable String cursor;
  private int offset;

  /** The number of tasks at the start; negative while it is unknown. */
  private long total = -1;

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
    this.newestFirst = takesOut ? byOffset : state.isFinal();
    broker.queues().requireQueue(queue);
    this.groups = groups(group);
    goTo(from);
  }

  private List<String> groups(@Nullable String only) {
    if (state != TaskState.AGGREGATING) {
      return new ArrayList<>(List.of(""));
    }
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
    require(
        !from.startsWith(way.equals(LOOKING) ? TAKING_OUT : LOOKING),
        "a search can only resume a search, and an operation only an operation: " + from);
    int dot = from.indexOf('.');
    try {
      String group = UrlSafeText.decode(from.substring(1, dot));
      String inner = from.substring(dot + 1);
      if (state == TaskState.AGGREGATING) {
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
    while (!groups.isEmpty()) {
      TaskPage loaded = broker.tasks().list(queue, listing(most));
      total = total < 0 ? loaded.total() : total;
      if (loaded.looked() > 0) {
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
    for (int limit = tasks; limit < loaded.looked(); limit++) {
      shorter = broker.tasks().list(queue, listing(limit));
      if (shorter.tasks().size() >= tasks) {
        break;
      }
    }
    return shorter;
  }

  private Listing listing(int most) {
    String group = state == TaskState.AGGREGATING ? groups.get(0) : null;
    return new Listing(state, group, newestFirst, byOffset ? offset : 0, most, cursor);
  }

  /** Advances past a loaded page, of which {@code takenOut} tasks have been removed. */
  public void advance(TaskPage done, int takenOut) {
    if (done.cursor() == null) {
      nextContainer();
    } else if (byOffset) {
      offset += (int) done.looked() - takenOut;
    } else {
      cursor = done.cursor();
    }
  }

  private void nextContainer() {
    cursor = null;
    offset = 0;
    groups.remove(0);
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
    if (groups.isEmpty()) {
      return null;
    }
    String inner = byOffset ? OFFSET + offset : cursor == null ? "" : cursor;
    return way + UrlSafeText.encode(groups.get(0)) + "." + inner;
  }
}
