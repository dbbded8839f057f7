package io.asynq4j.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.broker.Confirmation;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.TaskSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides how tasks reach Redis. A caller makes its call itself, as long as few do so at once; more
 * share calls, since waking a waiting caller costs less than a queue for connections. A call with a
 * limit is never made by its caller, who could not leave a socket that is silent. Thread-safe.
 */
final class Dispatcher {

  private final TaskSink sink;
  private final Function<Durability, Confirmation> confirmations;
  private final Semaphore ownCalls;
  private final Gatherer gatherer;
  private final Room room;

  Dispatcher(
      TaskSink sink,
      Function<Durability, Confirmation> confirmations,
      int maxOwnCalls,
      Gatherer gatherer,
      Room room) {
    this.sink = sink;
    this.confirmations = confirmations;
    this.ownCalls = new Semaphore(maxOwnCalls);
    this.gatherer = gatherer;
    this.room = room;
  }

  /** One answer for each task, when all are there. */
  List<EnqueueAnswer> send(List<NewTask> tasks, Terms terms) {
    gatherer.requireOpen();
    requireNotInterrupted();
    if (terms.limit() == null && ownCalls.tryAcquire()) {
      try {
        return sink.enqueueEach(tasks, confirmations.apply(terms.durability()));
      } finally {
        ownCalls.release();
      }
    }
    Long until = until(terms);
    List<Gatherer.Entry> entries = new ArrayList<>(tasks.size());
    for (NewTask task : tasks) {
      entries.add(gatherer.add(task, terms.durability()));
    }
    List<EnqueueAnswer> answers = new ArrayList<>(tasks.size());
    for (Gatherer.Entry entry : entries) {
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
    Gatherer.Entry entry;
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
