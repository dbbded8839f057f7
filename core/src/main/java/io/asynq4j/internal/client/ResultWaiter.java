package io.asynq4j.internal.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Inspection;
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

  private static final int MAX_LOOKS = 4;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Inspection inspection;
  private final Semaphore looks = new Semaphore(MAX_LOOKS);

  public ResultWaiter(Inspection inspection) {
    this.inspection = inspection;
  }

  public Optional<TaskInfo> await(QueueName queue, String id, Duration timeout)
      throws InterruptedException {
    long until = System.nanoTime() + TimeMath.nanos(timeout);
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      BrokerUnavailableException failure = null;
      try {
        TaskInfo task = look(queue, id, until);
        if (task == null) {
          return Optional.empty();
        }
        if (task.state() == TaskState.COMPLETED || task.state() == TaskState.ARCHIVED) {
          return Optional.of(task);
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
      TimeUnit.NANOSECONDS.sleep(Math.min(pause, left));
      pause = Math.min(pause * 3 / 2, LONGEST_PAUSE_NANOS);
    }
  }

  /** Returns null if no poll was possible in time. */
  private @Nullable TaskInfo look(QueueName queue, String id, long until)
      throws InterruptedException {
    if (!looks.tryAcquire(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      return null;
    }
    try {
      return inspection.task(queue, id);
    } catch (TaskNotFoundException e) {
      throw new TaskNotFoundException(
          queue,
          id,
          ": it never existed, was deleted, or succeeded without retention or before its retention ended."
              + " To await results, enqueue with a retention longer than the wait");
    } finally {
      looks.release();
    }
  }
}
