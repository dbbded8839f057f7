package io.asynq4j.internal.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.time.PollInterval;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Polls a task until it has ended, at growing intervals. Only a few polls run at once, however many
 * callers wait. Thread-safe.
 */
public final class ResultWaiter {

  private static final int MAX_POLLS = 4;
  private static final Duration FIRST_INTERVAL = Duration.ofMillis(5);

  private final TaskInspection tasks;
  private final Semaphore polls = new Semaphore(MAX_POLLS);

  public ResultWaiter(TaskInspection tasks) {
    this.tasks = tasks;
  }

  public Optional<TaskInfo> await(QueueName queue, String id, Duration timeout)
      throws InterruptedException {
    long until = System.nanoTime() + TimeMath.nanos(timeout);
    PollInterval interval = PollInterval.startingAt(FIRST_INTERVAL);
    while (true) {
      BrokerUnavailableException failure = null;
      try {
        TaskInfo task = poll(queue, id, until);
        if (task == null || task.state().isFinal()) {
          return Optional.ofNullable(task);
        }
      } catch (BrokerUnavailableException e) {
        failure = e;
      }
      long left = until - System.nanoTime();
      if (left <= 0) {
        if (failure != null) {
          throw failure;
        }
        return Optional.empty();
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(interval.nanos(), left));
      interval = interval.next(PollInterval.LONGEST);
    }
  }

  /** Returns null if no poll was possible in time. */
  private @Nullable TaskInfo poll(QueueName queue, String id, long until)
      throws InterruptedException {
    if (!polls.tryAcquire(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      return null;
    }
    try {
      return tasks.task(queue, id);
    } catch (TaskNotFoundException e) {
      throw new TaskNotFoundException(
          queue,
          id,
          ": it never existed, was deleted, or succeeded without retention or before its retention ended."
              + " To await results, enqueue with a retention longer than the wait");
    } finally {
      polls.release();
    }
  }
}
