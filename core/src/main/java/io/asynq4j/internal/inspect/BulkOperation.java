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
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One operation on the tasks that a walk meets and a filter wants. Not thread-safe. */
public final class BulkOperation {

  /** How many tasks are looked at between two questions whether to stop. */
  public static final int PAGE = 200;

  public static final int MAX_FAILURES = 1_000;

  private final TaskScan walk;
  private final TaskFilter filter;
  private final BulkAction action;
  private final Clock clock;
  private final List<Failure> failures = new ArrayList<>();
  private long looked;
  private long matched;
  private long done;
  private long failed;

  /** What is done with tasks. */
  public interface BulkAction {
    /** For each task why it could not be done, or null. */
    List<@Nullable String> apply(List<TaskInfo> tasks);

    /** Whether it takes what it is done to out of its state. */
    boolean takesOut();

    /** Whether it was done to this task before, which the scan has met again. */
    default boolean isRepeated(TaskInfo task) {
      return false;
    }

    /** Why nothing more can be done from now on; null while it can. */
    default @Nullable String obstacle() {
      return null;
    }

    /** How many archived tasks it has deleted to make room. */
    default long dropped() {
      return 0;
    }
  }

  public BulkOperation(TaskScan walk, TaskFilter filter, BulkAction action, Clock clock) {
    this.walk = walk;
    this.filter = filter;
    this.action = action;
    this.clock = clock;
  }

  /**
   * Runs the operation until it has no more tasks, is stopped or reaches a limit.
   *
   * @param limit the most tasks to deal with
   * @param look the most tasks to look at
   */
  public BulkReport run(
      long limit, long look, BooleanSupplier stop, Consumer<BulkProgress> progress) {
    try {
      while (matched < limit && looked < look && !isAsked(stop)) {
        long most = Math.min(Math.min(PAGE, look - looked), walk.left(looked));
        Page page = walk.load((int) Math.max(1, most));
        if (page == null) {
          return report(null, null);
        }
        take(page, limit - matched);
        progress.accept(BulkProgress.of(looked, walk.total(), matched, done, failed));
        String obstacle = action.obstacle();
        if (obstacle != null) {
          return report(walk.place(), obstacle);
        }
        if (walk.left(looked) <= 0) {
          return report(walk.meetsSomeTwice() ? walk.place() : null, null);
        }
      }
    } catch (BrokerException e) {
      if (looked == 0) {
        throw e;
      }
      return report(walk.place(), e.getMessage());
    }
    return report(walk.place(), null);
  }

  private static boolean isAsked(BooleanSupplier stop) {
    return stop.getAsBoolean() || Thread.currentThread().isInterrupted();
  }

  private void take(Page loaded, long room) {
    Page page = loaded;
    Instant now = clock.instant();
    List<TaskInfo> wanted = wanted(page, now);
    if (wanted.size() > room) {
      page = walk.shorten(page, page.tasks().indexOf(wanted.get((int) room - 1)) + 1);
      wanted = wanted(page, now);
    }
    long repeated = page.tasks().stream().filter(action::isRepeated).count();
    int takenOut = act(wanted);
    looked += TaskScan.rows(page) - repeated;
    matched += wanted.size();
    page.unreadable().forEach(id -> fail(id, "cannot be read, so nobody knows what it is"));
    // Whoever goes on after an obstacle begins with those that it left where they are.
    if (action.obstacle() == null) {
      walk.advance(takenOut);
    }
  }

  private List<TaskInfo> wanted(Page page, Instant now) {
    return page.tasks().stream()
        .filter(task -> !action.isRepeated(task) && filter.matches(task, now))
        .toList();
  }

  /** Returns how many tasks have left their state. */
  private int act(List<TaskInfo> tasks) {
    if (tasks.isEmpty()) {
      return 0;
    }
    List<@Nullable String> problems = action.apply(tasks);
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
        .done(done)
        .failed(failed)
        .failures(failures)
        .cursor(place)
        .problem(problem)
        .dropped(action.dropped())
        .build();
  }
}
