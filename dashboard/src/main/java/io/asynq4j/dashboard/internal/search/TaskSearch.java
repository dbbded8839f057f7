package io.asynq4j.dashboard.internal.search;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.internal.live.QueueRow;
import io.asynq4j.dashboard.internal.live.RedisInstance;
import io.asynq4j.dashboard.internal.live.RedisSnapshot;
import io.asynq4j.dashboard.internal.problem.Problems;
import io.asynq4j.dashboard.internal.view.PageCursor;
import io.asynq4j.dashboard.internal.view.PayloadRenderer;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.inspect.TaskPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scans the tasks of a query, queue by queue and state by state, for a limited time. It searches
 * only what pages show: redacted values cannot be found.
 */
public final class TaskSearch {

  /** With more queues than this, queues that are empty in the last snapshot are skipped. */
  private static final int FEW_QUEUES = 50;

  private final RedisInstance source;
  private final PayloadRenderer contents;

  public TaskSearch(RedisInstance source, PayloadRenderer contents) {
    this.source = source;
    this.contents = contents;
  }

  /** One state of one queue. */
  record Part(String queue, TaskState state) {}

  /**
   * The result of one step of a search.
   *
   * @param total number of tasks to scan, from the last snapshot
   * @param cursor start of the next step; null at the end
   */
  public record Found(
      List<TaskInfo> tasks,
      long looked,
      long total,
      @Nullable String cursor,
      List<String> problems) {}

  /** Returns the parts to scan, in a fixed order. */
  List<Part> parts(Query query, Grant grant) {
    List<Part> parts = new ArrayList<>();
    String exact = query.exactQueue();
    RedisSnapshot snapshot = source.poller().fresh();
    List<String> queues =
        exact != null ? List.of(exact) : snapshot.queues().keySet().stream().toList();
    boolean areMany = queues.size() > FEW_QUEUES;
    for (String queue : queues) {
      if (!grant.sees(queue) || !query.matchesQueue(queue)) {
        continue;
      }
      QueueRow row = snapshot.queues().get(queue);
      for (TaskState state : query.states()) {
        if (!areMany || row == null || row.size(state) > 0) {
          parts.add(new Part(queue, state));
        }
      }
    }
    return parts;
  }

  long total(List<Part> parts) {
    RedisSnapshot snapshot = source.poller().last();
    return parts.stream()
        .mapToLong(
            part -> {
              QueueRow row = snapshot.queues().get(part.queue());
              return row == null ? 0 : row.size(part.state());
            })
        .sum();
  }

  /** Returns the selection of the matching tasks of a part. */
  Selection select(Part part, Query query) {
    TaskFilter wanted = query.filter();
    return source
        .inspector()
        .queue(part.queue())
        .select(part.state())
        .where((task, now) -> wanted.matches(contents.shown(task), now));
  }

  public Found find(Query query, Grant grant, int limit, @Nullable String cursor, Duration budget) {
    long end = System.nanoTime() + budget.toNanos();
    List<Part> parts = parts(query, grant);
    int at = 0;
    String after = null;
    if (cursor != null) {
      List<@Nullable String> place = PageCursor.read(cursor, 3);
      at = indexAtOrAfter(parts, place);
      boolean isSame = at < parts.size() && isAt(parts.get(at), place);
      after = isSame ? place.get(2) : null;
    }
    List<TaskInfo> tasks = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    long looked = 0;
    while (at < parts.size()) {
      Part part = parts.get(at);
      if (tasks.size() >= limit || System.nanoTime() - end > 0) {
        return new Found(tasks, looked, total(parts), place(part, after), problems);
      }
      try {
        TaskPage page =
            select(part, query)
                .after(after)
                .stopWhen(() -> System.nanoTime() - end > 0)
                .find(limit - tasks.size());
        tasks.addAll(page.tasks());
        looked += page.looked();
        after = page.cursor();
      } catch (QueueNotFoundException e) {
        after = null;
      } catch (BrokerUnavailableException e) {
        throw e;
      } catch (io.asynq4j.BrokerException e) {
        // A queue that cannot be read does not hide the others.
        problems.add(part.queue() + ": " + e.getMessage());
        after = null;
      }
      if (after == null) {
        at++;
      }
    }
    return new Found(tasks, looked, total(parts), null, problems);
  }

  private static String place(Part part, @Nullable String after) {
    return PageCursor.of(part.queue(), part.state().word(), after);
  }

  private static boolean isAt(Part part, List<@Nullable String> place) {
    return part.queue().equals(place.get(0)) && part.state().word().equals(place.get(1));
  }

  /** Queues may have been created or removed in the meantime; their order is stable. */
  private static int indexAtOrAfter(List<Part> parts, List<@Nullable String> place) {
    String queue = place.get(0);
    String word = place.get(1);
    if (queue == null || word == null) {
      throw Problems.badRequest("Invalid cursor. Use the cursor that the previous page returned.");
    }
    TaskState state = TaskState.ofWord(word);
    for (int i = 0; i < parts.size(); i++) {
      int order = parts.get(i).queue().compareTo(queue);
      if (order > 0 || (order == 0 && parts.get(i).state().compareTo(state) >= 0)) {
        return i;
      }
    }
    return parts.size();
  }
}
