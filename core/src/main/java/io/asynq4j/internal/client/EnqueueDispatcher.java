package io.asynq4j.internal.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import io.asynq4j.internal.concurrent.VirtualThreads;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Selects how tasks are sent to Redis. Single tasks share calls; a caller with many tasks makes
 * separate calls, while few callers do so at once. A call with a limit runs on another thread,
 * since its caller could not leave an unresponsive socket. A shared call never runs on a virtual
 * thread, since an interrupt would close the socket for all callers. Thread-safe.
 */
public final class EnqueueDispatcher {

  private final EnqueueSender sender;
  private final CallCoalescer sharedCalls;
  private final int maxCalls;
  private final Function<QueueName, String> shardOf;

  /** Permits for calls on the caller's thread, by Redis server. */
  private final Map<String, Semaphore> ownCalls = new ConcurrentHashMap<>();

  private final AsyncBatcher batcher;
  private final PendingBudget budget;

  /**
   * @param maxCalls limit of concurrent calls on callers' threads, per Redis server
   * @param shardOf the server that has a queue, from cached data; must not block
   */
  public EnqueueDispatcher(
      EnqueueSender sender,
      int maxCalls,
      Function<QueueName, String> shardOf,
      AsyncBatcher batcher,
      PendingBudget budget) {
    this.sender = sender;
    this.sharedCalls = new CallCoalescer(sender, maxCalls);
    this.maxCalls = maxCalls;
    this.shardOf = shardOf;
    this.batcher = batcher;
    this.budget = budget;
  }

  /** Returns one reply per task when all have arrived; there must be at least one task. */
  public List<EnqueueReply> send(List<NewTask> tasks, CallOptions options) {
    batcher.requireOpen();
    requireNotInterrupted();
    if (options.limit() == null) {
      List<EnqueueReply> answers =
          tasks.size() == 1
              ? sendInThisThread(tasks.get(0), options.confirmation())
              : sendInThisThread(tasks, options.confirmation());
      if (answers != null) {
        return answers;
      }
    }
    Long until = until(options);
    List<PendingEnqueue> entries = new ArrayList<>(tasks.size());
    for (NewTask task : tasks) {
      PendingEnqueue entry = new PendingEnqueue(task);
      batcher.add(entry, BatchKey.of(task, options.confirmation()));
      entries.add(entry);
    }
    List<EnqueueReply> answers = new ArrayList<>(tasks.size());
    for (PendingEnqueue entry : entries) {
      answers.add(entry.await(until));
    }
    return answers;
  }

  /** Returns null if this thread must not send the task. */
  private @Nullable List<EnqueueReply> sendInThisThread(
      NewTask task, DurabilityRequirement confirmation) {
    if (!VirtualThreads.isCurrentVirtual()) {
      return List.of(sharedCalls.of(task, confirmation).send(task));
    }
    EnqueueReply answer =
        batcher.isIdleFor(task, confirmation)
            ? sharedCalls.of(task, confirmation).sendAlone(task)
            : null;
    return answer == null ? null : List.of(answer);
  }

  /** Returns null if too many callers do so already, or if the tasks belong to several servers. */
  private @Nullable List<EnqueueReply> sendInThisThread(
      List<NewTask> tasks, DurabilityRequirement confirmation) {
    String shard = onlyShardOf(tasks);
    if (shard == null) {
      // In sequence, calls to an unresponsive server would delay the rest.
      return null;
    }
    Semaphore permits = ownCalls.computeIfAbsent(shard, any -> new Semaphore(maxCalls));
    if (!permits.tryAcquire()) {
      return null;
    }
    try {
      return sender.send(tasks, confirmation);
    } finally {
      permits.release();
    }
  }

  /** Returns the server that has the queues of all these tasks; null if there are several. */
  private @Nullable String onlyShardOf(List<NewTask> tasks) {
    String first = shardOf.apply(tasks.get(0).message().queue());
    boolean isOnly =
        first.isEmpty()
            || tasks.stream()
                .map(task -> task.message().queue())
                .distinct()
                .allMatch(queue -> shardOf.apply(queue).equals(first));
    return isOnly ? first : null;
  }

  /** Blocks only while the pending budget is exhausted. */
  public CompletableFuture<EnqueueReply> sendAsync(NewTask task, CallOptions options) {
    batcher.requireOpen();
    requireNotInterrupted();
    Long until = until(options);
    PendingEnqueue entry = new PendingEnqueue(task);
    BatchKey destination = BatchKey.of(task, options.confirmation());
    String shard = shardOf.apply(destination.queue());
    budget.enter(task, shard, until);
    CompletableFuture<EnqueueReply> answer;
    try {
      answer = limited(entry, until).whenComplete((known, none) -> budget.leave(task, shard));
    } catch (Throwable e) {
      budget.leave(task, shard);
      throw e;
    }
    // From here on, the answer releases the budget.
    try {
      batcher.add(entry, destination);
    } catch (Throwable e) {
      entry.take();
      entry.lose(e);
      throw e;
    }
    return answer;
  }

  private static CompletableFuture<EnqueueReply> limited(
      PendingEnqueue entry, @Nullable Long until) {
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

  private static @Nullable Long until(CallOptions options) {
    Duration limit = options.limit();
    return limit == null ? null : System.nanoTime() + TimeMath.nanos(limit);
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
