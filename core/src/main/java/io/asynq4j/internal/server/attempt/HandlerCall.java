package io.asynq4j.internal.server.attempt;

import io.asynq4j.AfterCancel;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.text.LogText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The call of a handler: its thread and its cancellation. Thread-safe. */
final class HandlerCall {

  private static final Logger log = LoggerFactory.getLogger(HandlerCall.class);

  private final String taskId;
  private final List<Runnable> cancelActions = new ArrayList<>(0);
  private @Nullable Thread thread;
  private long startedNanos;
  private volatile boolean started;
  private volatile boolean returned;
  private volatile @Nullable CancelReason cancelReason;
  private volatile AfterCancel afterCancel = AfterCancel.RETRY;
  private volatile long cancelledNanos;

  HandlerCall(String taskId) {
    this.taskId = taskId;
  }

  synchronized void start() {
    thread = Thread.currentThread();
    startedNanos = System.nanoTime();
    started = true;
  }

  /** Ends the call: a cancellation does not interrupt the thread any more. */
  synchronized void end() {
    thread = null;
    returned = true;
  }

  /** Cancels the call. Only the first reason counts. */
  void cancel(CancelReason reason) {
    List<Runnable> actions;
    synchronized (this) {
      if (cancelReason != null || returned) {
        return;
      }
      cancelledNanos = System.nanoTime();
      cancelReason = reason;
      if (thread != null) {
        thread.interrupt();
      }
      actions = List.copyOf(cancelActions);
    }
    actions.forEach(this::runCancelAction);
  }

  /** Cancels the call on request. */
  void cancel(AfterCancel after) {
    afterCancel = after;
    cancel(CancelReason.REQUESTED);
  }

  /** Registers an action for the cancellation; it runs at once if that has already happened. */
  void onCancel(Runnable action) {
    synchronized (this) {
      if (cancelReason == null) {
        cancelActions.add(action);
        return;
      }
    }
    runCancelAction(action);
  }

  private void runCancelAction(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("the cancellation callback of task {} failed", LogText.name(taskId), e);
    }
  }

  /** Returns the reason of the cancellation; null if there was none. */
  @Nullable CancelReason cancelReason() {
    return cancelReason;
  }

  AfterCancel afterCancel() {
    return afterCancel;
  }

  /** Returns the time of the cancellation, by {@code System.nanoTime()}. */
  long cancelledNanos() {
    return cancelledNanos;
  }

  long startedNanos() {
    return startedNanos;
  }

  boolean isStarted() {
    return started;
  }

  boolean isReturned() {
    return returned;
  }

  boolean isRunning() {
    return started && !returned;
  }

  /** Returns null if the handler does not run. */
  synchronized @Nullable Thread thread() {
    return thread;
  }
}
