package io.asynq4j.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Decides how tasks reach Redis. Single tasks of callers share calls; with many tasks a caller
 * makes calls of its own, as long as few do so at once. A call with a limit is never made by its
 * caller, who could not leave a socket that is silent. Thread-safe.
 */
final class Dispatcher {

  private final Sender sender;
  private final SharedCalls sharedCalls;
  private final Semaphore ownCalls;
  private final Gatherer gatherer;
  private final Room room;

  Dispatcher(Sender sender, int maxCalls, Gatherer gatherer, Room room) {
    this.sender = sender;
    this.sharedCalls = new SharedCalls(sender, maxCalls);
    this.ownCalls = new Semaphore(maxCalls);
    this.gatherer = gatherer;
    this.room = room;
  }

  /** One answer for each task, when all are there. */
  List<EnqueueAnswer> send(List<NewTask> tasks, Terms terms) {
    gatherer.requireOpen();
    requireNotInterrupted();
    if (terms.limit() == null && tasks.size() == 1) {
      return List.of(sharedCalls.send(tasks.get(0), terms.durability()));
    }
    if (terms.limit() == null && ownCalls.tryAcquire()) {
      try {
        return sender.send(tasks, terms.durability());
      } finally {
        ownCalls.release();
      }
    }
    Long until = until(terms);
    List<Entry> entries = new ArrayList<>(tasks.size());
    for (NewTask task : tasks) {
      entries.add(gatherer.add(task, terms.durability()));
    }
    List<EnqueueAnswer> answers = new ArrayList<>(tasks.size());
    for (Entry entry : entries) {
      answers.add(entry.await(until));
    }
    return answers;
  }

  /** Blocks only while there is no room. */
  CompletableFuture<EnqueueAnswer> sendAsync(NewTask task, Terms terms) {
    gatherer.requireOpen();
    requireNotInterrupted();
    Long until = until(terms);
    room.enter(task, until);
    Entry entry;
    try {
      entry = gatherer.add(task, terms.durability());
    } catch (RuntimeException e) {
      room.leave(task);
      throw e;
    }
    CompletableFuture<EnqueueAnswer> answer = entry.answer();
    CompletableFuture<EnqueueAnswer> told =
        until == null
            ? answer
            : answer
                .copy()
                .orTimeout(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)
                .exceptionally(
                    e ->
                        entry.giveUp(
                            "Redis has not answered within the limit of this call",
                            e instanceof TimeoutException ? e : new TimeoutException()));
    return told.whenComplete((known, none) -> room.leave(task));
  }

  private static @Nullable Long until(Terms terms) {
    Duration limit = terms.limit();
    return limit == null ? null : System.nanoTime() + limit.toNanos();
  }

  private static void requireNotInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new BrokerUnavailableException(
          "this thread is interrupted; the task was not sent",
          false,
          new InterruptedException("before the call"));
    }
  }
}
