package io.asynq4j.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.Times;
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
 * caller, who could not leave a socket that is silent. No call that others share is made by a
 * virtual thread: whoever interrupts that would close the socket under all of them. Thread-safe.
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
    if (terms.limit() == null) {
      List<EnqueueAnswer> answers =
          tasks.size() == 1
              ? sendInThisThread(tasks.get(0), terms.durability())
              : sendInThisThread(tasks, terms.durability());
      if (answers != null) {
        return answers;
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

  /** Null when it is not for this thread to do. */
  private @Nullable List<EnqueueAnswer> sendInThisThread(NewTask task, Durability durability) {
    if (!CurrentThread.isVirtual()) {
      return List.of(sharedCalls.send(task, durability));
    }
    EnqueueAnswer answer =
        gatherer.isIdleFor(task, durability) ? sharedCalls.sendAlone(task, durability) : null;
    return answer == null ? null : List.of(answer);
  }

  /** Null when too many do so already. */
  private @Nullable List<EnqueueAnswer> sendInThisThread(
      List<NewTask> tasks, Durability durability) {
    if (!ownCalls.tryAcquire()) {
      return null;
    }
    try {
      return sender.send(tasks, durability);
    } finally {
      ownCalls.release();
    }
  }

  /** Blocks only while there is no room. */
  CompletableFuture<EnqueueAnswer> sendAsync(NewTask task, Terms terms) {
    gatherer.requireOpen();
    requireNotInterrupted();
    Long until = until(terms);
    Entry entry = new Entry(task);
    Destination destination = Destination.of(task, terms.durability());
    room.enter(task, until);
    CompletableFuture<EnqueueAnswer> answer;
    try {
      answer = limited(entry, until).whenComplete((known, none) -> room.leave(task));
    } catch (Throwable e) {
      room.leave(task);
      throw e;
    }
    // From here on, whatever answers it makes it leave.
    try {
      gatherer.add(entry, destination);
    } catch (Throwable e) {
      entry.take();
      entry.lose(e);
      throw e;
    }
    return answer;
  }

  private static CompletableFuture<EnqueueAnswer> limited(Entry entry, @Nullable Long until) {
    return until == null
        ? entry.answer()
        : entry
            .answer()
            .copy()
            .orTimeout(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS)
            .exceptionally(
                e ->
                    entry.giveUp(
                        "Redis has not answered within the limit of this call",
                        e instanceof TimeoutException ? e : new TimeoutException()));
  }

  private static @Nullable Long until(Terms terms) {
    Duration limit = terms.limit();
    return limit == null ? null : System.nanoTime() + Times.nanos(limit);
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
