package io.asynq4j.service;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.Inspector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.node.ObjectNode;

/** Looks at tasks and changes single ones. Thread-safe. */
final class Tasks {

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final Catalog catalog;
  private final Inspector inspector;
  private final ScheduledExecutorService timer;
  private final BooleanSupplier draining;

  /**
   * @param draining whether those who wait are to be answered as things are
   */
  Tasks(
      Catalog catalog,
      Inspector inspector,
      ScheduledExecutorService timer,
      BooleanSupplier draining) {
    this.draining = draining;
    this.catalog = catalog;
    this.inspector = inspector;
    this.timer = timer;
  }

  /** The task, at once or when it has ended. */
  CompletionStage<Answer> get(Exchange exchange) {
    Duration wait = exchange.waitTime(LONGEST_WAIT);
    TaskInfo task = find(exchange);
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    await(task, System.nanoTime() + wait.toNanos(), FIRST_PAUSE_MILLIS, answer);
    return answer;
  }

  private void await(
      TaskInfo task, long until, long pauseMillis, CompletableFuture<Answer> answer) {
    boolean ended = task.state() == TaskState.COMPLETED || task.state() == TaskState.ARCHIVED;
    long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
    if (ended || left <= 0 || draining.getAsBoolean()) {
      answer.complete(answer(task));
      return;
    }
    ScheduledFuture<?> unused =
        timer.schedule(
            () -> {
              try {
                TaskInfo now = inspector.task(task.queue().value(), task.id());
                await(now, until, Math.min(pauseMillis * 3 / 2, LONGEST_PAUSE_MILLIS), answer);
              } catch (TaskNotFoundException | QueueNotFoundException e) {
                answer.completeExceptionally(gone());
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            },
            Math.min(pauseMillis, left),
            TimeUnit.MILLISECONDS);
  }

  /** It is not to run: what waits is archived, what runs is told to stop. */
  CompletionStage<Answer> cancel(Exchange exchange) {
    TaskInfo task = find(exchange);
    String queue = task.queue().value();
    return changed(
        task,
        () -> {
          if (task.state() == TaskState.ACTIVE) {
            inspector.cancel(queue, task.id(), AfterCancel.ARCHIVE);
          } else {
            // As when a worker gives a task up: a full archive is no reason to run one that is not
            // wanted any more.
            inspector.droppingOldest().archive(queue, task.id());
          }
        });
  }

  /** It is to run again, or now. */
  CompletionStage<Answer> retry(Exchange exchange) {
    TaskInfo task = find(exchange);
    return changed(task, () -> inspector.run(task.queue().value(), task.id()));
  }

  private CompletionStage<Answer> changed(TaskInfo task, Runnable change) {
    try {
      change.run();
      return CompletableFuture.completedFuture(
          answer(inspector.task(task.queue().value(), task.id())));
    } catch (TaskStateException e) {
      throw Problem.conflict("state", String.valueOf(e.getMessage()), TaskJson.of(task));
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      throw gone();
    }
  }

  /** It was there when the request came. */
  private static Problem gone() {
    return new Problem(
        410,
        "gone",
        "the task has ended or was deleted, and is not kept: give its definition a retention");
  }

  private static Answer answer(TaskInfo task) {
    ObjectNode body = Json.object();
    body.set("task", TaskJson.of(task));
    return Answer.json(200, body);
  }

  /** Ids are unique within a name; without one, all names that the caller may see are tried. */
  private TaskInfo find(Exchange exchange) {
    String id = exchange.variable(0);
    Optional<String> name = exchange.query("name");
    List<String> queues =
        catalog.all().stream()
            .map(Catalog.Entry::definition)
            .filter(each -> exchange.caller().allows(each.name()))
            .filter(each -> name.isEmpty() || name.get().equals(each.name()))
            .map(each -> each.queue().value())
            .toList();
    List<TaskInfo> found = inspector.find(queues, id);
    if (found.isEmpty()) {
      throw new Problem(
          404,
          "no-task",
          "there is no task with the id \"%s\"; one that has succeeded is kept for the retention"
                  .formatted(id)
              + " of its definition");
    }
    if (found.size() > 1) {
      throw Problem.conflict("ambiguous", "tasks of several names have this id; add ?name=…", null);
    }
    return found.get(0);
  }
}
