package io.asynq4j.internal.inspect;

import io.asynq4j.BrokerException;
import io.asynq4j.TaskInfo;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.BulkReport.BulkProgress;
import io.asynq4j.inspect.BulkReport.Failure;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.inspect.TaskPage;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies an action to tasks by ID, or to the tasks that a scan returns and a filter selects. Used
 * once, by one thread.
 */
public final class BulkOperation {

  /** Number of tasks between two checks whether to stop. */
  public static final int PAGE = 200;

  private static final int MAX_FAILURES = 1_000;

  /** Counts tasks. */
  public static final BulkAction COUNT =
      new BulkAction(
          /* takesOut= */ false,
          /* oncePerTask= */ false,
          ids -> new BulkAction.Result(Collections.nCopies(ids.size(), null), 0, null));

  private final BulkAction action;
  private final HashedIdSet actedOn = new HashedIdSet();
  private final List<Failure> failures = new ArrayList<>();
  private long looked;
  private long matched;
  private long done;
  private long failed;
  private long dropped;
  private @Nullable String obstacle;

  public BulkOperation(BulkAction action) {
    this.action = action;
  }

  /** Applies the action to the tasks with these IDs. */
  public BulkReport run(List<String> ids) {
    looked = ids.size();
    matched = ids.size();
    act(ids);
    return report(null, null);
  }

  /**
   * Runs the operation until no tasks are left, it is stopped or it reaches a limit.
   *
   * @param limit maximum number of tasks to act on
   * @param look maximum number of tasks to read
   */
  public BulkReport run(
      TaskScan scan,
      TaskFilter filter,
      Clock clock,
      long limit,
      long look,
      BooleanSupplier stop,
      Consumer<BulkProgress> progress) {
    try {
      while (matched < limit && looked < look && !isStopped(stop)) {
        long most = Math.min(Math.min(PAGE, look - looked), scan.left(looked));
        TaskPage page = scan.load((int) Math.max(1, most));
        if (page == null) {
          return report(null, null);
        }
        Instant now = clock.instant();
        take(scan, page, task -> filter.matches(task, now), limit - matched);
        progress.accept(BulkProgress.of(looked, scan.total(), matched, done, failed));
        if (obstacle != null) {
          return report(scan.place(), obstacle);
        }
        if (scan.left(looked) <= 0) {
          return report(scan.meetsSomeTwice() ? scan.place() : null, null);
        }
      }
    } catch (BrokerException e) {
      if (looked == 0) {
        throw e;
      }
      return report(scan.place(), e.getMessage());
    }
    return report(scan.place(), null);
  }

  /** Returns whether an operation must stop: it was asked to, or its thread is interrupted. */
  public static boolean isStopped(BooleanSupplier stop) {
    return stop.getAsBoolean() || Thread.currentThread().isInterrupted();
  }

  private void take(TaskScan scan, TaskPage loaded, Predicate<TaskInfo> filter, long room) {
    Predicate<TaskInfo> repeated = task -> actedOn.contains(task.id());
    TaskPage page = scan.shorten(loaded, repeated.negate().and(filter), room);
    List<TaskInfo> wanted = page.tasks().stream().filter(repeated.negate().and(filter)).toList();
    long readAgain = page.tasks().stream().filter(repeated).count();
    int applied = wanted.isEmpty() ? 0 : act(wanted.stream().map(TaskInfo::id).toList());
    looked += page.looked() - readAgain;
    matched += wanted.size();
    page.unreadable().forEach(id -> fail(id, "cannot be read, so the action was not applied"));
    // A run that resumes after an obstacle starts with the tasks that it left.
    if (obstacle == null) {
      scan.advance(page, action.takesOut() ? applied : 0);
    }
  }

  /** Returns how many tasks the action was applied to. */
  private int act(List<String> ids) {
    if (action.oncePerTask()) {
      ids.forEach(actedOn::add);
    }
    BulkAction.Result result = action.function().apply(ids);
    dropped += result.dropped();
    obstacle = result.obstacle();
    int applied = 0;
    for (int i = 0; i < ids.size(); i++) {
      String problem = result.problems().get(i);
      if (problem == null) {
        applied++;
      } else {
        fail(ids.get(i), problem);
      }
    }
    done += applied;
    return applied;
  }

  private void fail(String id, String problem) {
    failed++;
    if (failures.size() < MAX_FAILURES) {
      failures.add(new Failure(id, problem));
    }
  }

  private BulkReport report(@Nullable String place, @Nullable String problem) {
    return BulkReport.builder()
        .looked(looked)
        .matched(matched)
        .done(action.equals(COUNT) ? 0 : done)
        .failed(failed)
        .failures(failures)
        .cursor(place)
        .problem(problem)
        .dropped(dropped)
        .build();
  }
}
