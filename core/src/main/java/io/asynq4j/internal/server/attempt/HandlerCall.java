package io.asynq4j.internal.server.attempt;

import io.asynq4j.AfterCancel;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.text.LogText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The call of a handler: the thread it runs on, and the request to stop it. Thread-safe. */
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

  synchronized void begin() {
    thread = Thread.currentThread();
    startedNanos = System.nanoTime();
    started = true;
  }

  /** From here on no request to stop interrupts the thread. */
  synchronized void end() {
    thread = null;
    returned = true;
  }

  /** Asks the handler to stop. Only the first reason counts. */
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

  /** Asks the handler to stop on request. */
  void cancel(AfterCancel after) {
    afterCancel = after;
    cancel(CancelReason.REQUESTED);
  }

  /** Has an action run when the handler is asked to stop; at once if it is already. */
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
      log.error(
          "what task {} wanted to have done when it is cancelled failed", LogText.name(taskId), e);
    }
  }

  /** Why the handler was asked to stop; null when it was not. */
  @Nullable CancelReason cancelReason() {
    return cancelReason;
  }

  AfterCancel afterCancel() {
    return afterCancel;
  }

  /** When the handler was asked to stop, by {@code System.nanoTime()}. */
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

  /** Null when the handler does not run. */
  synchronized @Nullable Thread thread() {
    return thread;
  }
}
