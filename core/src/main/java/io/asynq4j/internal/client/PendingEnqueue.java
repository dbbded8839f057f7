package io.asynq4j.internal.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task that waits to be sent or for its reply. */
class PendingEnqueue {

  /** Created in advance, for use without memory. */
  private static final EnqueueReply LOST =
      failed(
          "this process ran out of memory while the task was sent; it may be enqueued",
          /* mayHaveBeenApplied= */ true,
          new IllegalStateException("out of memory"));

  private final AtomicReference<@Nullable NewTask> unsent;
  private final CompletableFuture<EnqueueReply> answer = new CompletableFuture<>();

  PendingEnqueue(NewTask task) {
    this.unsent = new AtomicReference<>(task);
  }

  /**
   * Returns the task to the thread that sends it; null if another thread has it, or if it is no
   * longer to be sent.
   */
  @Nullable NewTask take() {
    return unsent.getAndSet(null);
  }

  CompletableFuture<EnqueueReply> answer() {
    return answer;
  }

  /** Waits for the reply until a time of {@code System.nanoTime()}; null = no limit. */
  EnqueueReply await(@Nullable Long until) {
    try {
      return until == null
          ? answer.get()
          : answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return giveUp("Redis has not answered within the limit of this call", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return giveUp("interrupted while waiting for Redis", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("an answer is never an exception", e);
    }
  }

  /** Answers, unless already answered, that an error ended the call of the task. */
  void lose(Throwable error) {
    if (!answer.isDone()) {
      answer.complete(lost(error));
    }
  }

  private static EnqueueReply lost(Throwable error) {
    try {
      return failed(
          "sending the task failed in this process (" + error + "); it may be enqueued",
          /* mayHaveBeenApplied= */ true,
          error);
    } catch (OutOfMemoryError e) {
      return LOST;
    }
  }

  /**
   * Returns the reply if it has arrived; otherwise the failure, and the task is not sent any more.
   */
  EnqueueReply giveUp(String problem, Throwable cause) {
    try {
      if (take() != null) {
        return failed(problem + "; the task was not sent", /* mayHaveBeenApplied= */ false, cause);
      }
      EnqueueReply late = answer.getNow(null);
      return late != null
          ? late
          : failed(
              problem + "; the task was sent and may be enqueued, now or later",
              /* mayHaveBeenApplied= */ true,
              cause);
    } catch (OutOfMemoryError e) {
      return LOST;
    }
  }

  static EnqueueReply failed(String problem, boolean mayHaveBeenApplied, Throwable cause) {
    return EnqueueReply.failed(new BrokerUnavailableException(problem, mayHaveBeenApplied, cause));
  }
}
