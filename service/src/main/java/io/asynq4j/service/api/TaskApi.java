package io.asynq4j.service.api;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Problem;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.internal.time.PollInterval;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.response.Problems;
import io.asynq4j.service.response.TaskJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Returns, cancels and retries single tasks. Thread-safe. */
public final class TaskApi {

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
  private static final Duration FIRST_INTERVAL = Duration.ofMillis(20);

  /**
   * A request that waits until a task has ended.
   *
   * @param until by {@code System.nanoTime()}
   */
  private record Poll(String queue, String id, long until, CompletableFuture<ApiResponse> answer) {
    long leftNanos() {
      return until - System.nanoTime();
    }
  }

  private final DefinitionCatalog catalog;
  private final Inspector inspector;
  private final ScheduledExecutorService timer;
  private final Executor answers;
  private final ServerThreadPools polls;
  private final BooleanSupplier draining;

  /**
   * @param timer starts polls; nothing blocks its threads
   * @param polls calls Redis
   * @param answers sends responses, which may take long
   * @param draining whether waiting requests should be answered immediately
   */
  public TaskApi(
      DefinitionCatalog catalog,
      Inspector inspector,
      ScheduledExecutorService timer,
      ServerThreadPools polls,
      Executor answers,
      BooleanSupplier draining) {
    this.draining = draining;
    this.catalog = catalog;
    this.inspector = inspector;
    this.timer = timer;
    this.answers = answers;
    this.polls = polls;
  }

  /** Returns the task, immediately or when it has ended. */
  CompletionStage<ApiResponse> get(Exchange exchange) {
    Duration wait = exchange.waitTime(LONGEST_WAIT);
    TaskInfo task = find(exchange);
    Poll poll =
        new Poll(
            task.queue().value(),
            task.id(),
            System.nanoTime() + wait.toNanos(),
            new CompletableFuture<>());
    if (isOver(poll, task)) {
      return CompletableFuture.completedFuture(answer(task));
    }
    schedule(poll, PollInterval.startingAt(FIRST_INTERVAL));
    return poll.answer();
  }

  private boolean isOver(Poll poll, TaskInfo task) {
    return task.state().isFinal() || poll.leftNanos() <= 0 || draining.getAsBoolean();
  }

  private void schedule(Poll poll, PollInterval interval) {
    String server = catalog.leases().serverOf(poll.queue());
    Runnable step = () -> orFail(poll, () -> run(poll, interval));
    ScheduledFuture<?> unused =
        timer.schedule(
            () -> orFail(poll, () -> polls.execute(server, step)),
            Math.min(interval.nanos(), poll.leftNanos()),
            TimeUnit.NANOSECONDS);
  }

  private void run(Poll poll, PollInterval interval) {
    TaskInfo task = inspector.queue(poll.queue()).task(poll.id());
    if (isOver(poll, task)) {
      poll.answer().completeAsync(() -> answer(task), answers);
    } else {
      schedule(poll, interval.next(PollInterval.LONGEST));
    }
  }

  /** Runs a step, and answers the request if it fails: nothing else would. */
  private void orFail(Poll poll, Runnable step) {
    try {
      step.run();
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      fail(poll, gone());
    } catch (RuntimeException | Error e) {
      fail(poll, e);
    }
  }

  private void fail(Poll poll, Throwable failure) {
    try {
      answers.execute(() -> poll.answer().completeExceptionally(failure));
    } catch (RuntimeException | Error e) {
      // No other thread is available.
      poll.answer().completeExceptionally(failure);
    }
  }

  /** Cancels a task: a waiting task is archived, a running one is cancelled at its worker. */
  ApiResponse cancel(Exchange exchange) {
    TaskInfo task = find(exchange);
    String queue = task.queue().value();
    return changed(
        task,
        () -> {
          if (task.state() == TaskState.ACTIVE) {
            inspector.queue(queue).cancel(task.id(), AfterCancel.ARCHIVE);
          } else {
            // A full archive must not keep an unwanted task from being cancelled.
            inspector.droppingOldest().queue(queue).archive(task.id());
          }
        });
  }

  /** Runs a task again, or immediately. */
  ApiResponse retry(Exchange exchange) {
    TaskInfo task = find(exchange);
    return changed(task, () -> inspector.queue(task.queue()).run(task.id()));
  }

  private ApiResponse changed(TaskInfo task, Runnable change) {
    try {
      change.run();
      return answer(inspector.queue(task.queue()).task(task.id()));
    } catch (TaskStateException e) {
      throw Problems.conflict("state", String.valueOf(e.getMessage()), TaskJson.of(task));
    } catch (TaskNotFoundException | QueueNotFoundException e) {
      throw gone();
    }
  }

  /** The task existed at the start of the request. */
  private static Problem gone() {
    return new Problem(
        410,
        "gone",
        "the task has ended without retention, or was deleted; set a retention in its definition");
  }

  private static ApiResponse answer(TaskInfo task) {
    return TaskJson.response(200, TaskJson.of(task));
  }

  /**
   * Finds a task. Ids are unique within a name; without a name, all names that the caller may see
   * are searched.
   */
  private TaskInfo find(Exchange exchange) {
    String id = exchange.path("id");
    Optional<String> name = exchange.query("name");
    List<QueueName> queues =
        catalog.all().stream()
            .filter(each -> exchange.caller().allows(each.name()))
            .filter(each -> name.isEmpty() || name.get().equals(each.name()))
            .map(TaskDefinition::queue)
            .toList();
    List<TaskInfo> found = inspector.find(queues, id);
    if (found.isEmpty()) {
      throw new Problem(
          404,
          "no-task",
          "task \"%s\" not found; a task that has succeeded is kept for the retention".formatted(id)
              + " of its definition");
    }
    if (found.size() > 1) {
      throw Problems.conflict(
          "ambiguous", "tasks with several names have this id; add ?name=…", null);
    }
    return found.get(0);
  }
}
