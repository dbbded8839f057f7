package io.asynq4j.internal.inspect;

import io.asynq4j.BrokerException;
import io.asynq4j.TaskInfo;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.BulkReport.BulkProgress;
import io.asynq4j.inspect.BulkReport.Failure;
import io.asynq4j.inspect.TaskFilter;
import io.asynq4j.internal.broker.Inspection.Page;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Applies an action to the tasks that a scan returns and a filter selects. Not thread-safe. */
public final class BulkOperation {

  /** Number of tasks between two checks whether to stop. */
  public static final int PAGE = 200;

  public static final int MAX_FAILURES = 1_000;

  /** Counts tasks. */
  public static final BulkAction COUNT =
      new BulkAction() {
        @Override
        public List<@Nullable String> apply(List<String> ids) {
          return Collections.nCopies(ids.size(), null);
        }

        @Override
        public boolean takesOut() {
          return false;
        }
      };

  private final TaskScan scan;
  private final TaskFilter filter;
  private final BulkAction action;
  private final Clock clock;
  private final List<Failure> failures = new ArrayList<>();
  private long looked;
  private long matched;
  private long done;
  private long failed;

  /** The action on tasks. */
  public interface BulkAction {
    /** Returns for each task why the action failed, or null. */
    List<@Nullable String> apply(List<String> ids);

    /** Returns whether the action removes tasks from their state. */
    boolean takesOut();

    /**
     * Returns whether the action was already applied to this task, which the scan has returned
     * again.
     */
    default boolean isRepeated(String id) {
      return false;
    }

    /** Returns why no further action is possible; null while it is. */
    default @Nullable String obstacle() {
      return null;
    }

    /** Returns the number of archived tasks deleted to make room. */
    default long dropped() {
      return 0;
    }
  }

  public BulkOperation(TaskScan scan, TaskFilter filter, BulkAction action, Clock clock) {
    this.scan = scan;
    this.filter = filter;
    this.action = action;
    this.clock = clock;
  }

  /**
   * Runs the operation until no tasks are left, it is stopped or it reaches a limit.
   *
   * @param limit maximum number of tasks to act on
   * @param look maximum number of tasks to read
   */
  public BulkReport run(
      long limit, long look, BooleanSupplier stop, Consumer<BulkProgress> progress) {
    try {
      while (matched < limit && looked < look && !isStopped(stop)) {
        long most = Math.min(Math.min(PAGE, look - looked), scan.left(looked));
        Page page = scan.load((int) Math.max(1, most));
        if (page == null) {
          return report(null, null);
        }
        take(page, limit - matched);
        progress.accept(BulkProgress.of(looked, scan.total(), matched, done, failed));
        String obstacle = action.obstacle();
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

  private static boolean isStopped(BooleanSupplier stop) {
    return stop.getAsBoolean() || Thread.currentThread().isInterrupted();
  }

  private void take(Page loaded, long room) {
    Page page = loaded;
    Instant now = clock.instant();
    List<TaskInfo> wanted = wanted(page, now);
    if (wanted.size() > room) {
      page = scan.shorten(page, page.tasks().indexOf(wanted.get((int) room - 1)) + 1);
      wanted = wanted(page, now);
    }
    long repeated = page.tasks().stream().filter(this::isRepeated).count();
    int takenOut = act(wanted);
    looked += TaskScan.rows(page) - repeated;
    matched += wanted.size();
    page.unreadable().forEach(id -> fail(id, "cannot be read, so the action was not applied"));
    // A run that resumes after an obstacle starts with the tasks that it left.
    if (action.obstacle() == null) {
      scan.advance(takenOut);
    }
  }

  private List<TaskInfo> wanted(Page page, Instant now) {
    return page.tasks().stream()
        .filter(task -> !isRepeated(task) && filter.matches(task, now))
        .toList();
  }

  private boolean isRepeated(TaskInfo task) {
    return action.isRepeated(task.id());
  }

  /** Returns how many tasks have left their state. */
  private int act(List<TaskInfo> tasks) {
    if (tasks.isEmpty()) {
      return 0;
    }
    List<@Nullable String> problems = action.apply(tasks.stream().map(TaskInfo::id).toList());
    int dealtWith = 0;
    for (int i = 0; i < problems.size(); i++) {
      String problem = problems.get(i);
      if (problem == null) {
        dealtWith++;
      } else {
        fail(tasks.get(i).id(), problem);
      }
    }
    done += dealtWith;
    return action.takesOut() ? dealtWith : 0;
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
        .done(action == COUNT ? 0 : done)
        .failed(failed)
        .failures(failures)
        .cursor(place)
        .problem(problem)
        .dropped(action.dropped())
        .build();
  }
}
