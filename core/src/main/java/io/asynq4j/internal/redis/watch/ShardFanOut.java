package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.watch.RedisStoreWatch.Shard;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries several servers of a cluster at the same time, with a short timeout for all. A server
 * that fails or does not respond in time counts as having no entries. A server with an outstanding
 * call does not get the same call again, and no caller waits for it until it has answered a call in
 * time. Late answers are kept: a watch is notified, and a polling caller gets them with its next
 * query. Thread-safe.
 */
public final class ShardFanOut {

  private static final Logger log = LoggerFactory.getLogger(ShardFanOut.class);

  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long IDLE_SECONDS = 10;

  /** The caller of a query. Equal callers are notified once. */
  interface Asker {

    /** Called after a late answer: these queues have entries or were skipped meanwhile. */
    void lookAgain(Collection<QueueName> queues);
  }

  private final LongSupplier patienceNanos;

  /** Servers that missed a timeout and have not answered a call in time since. */
  private final Set<String> unresponsive = ConcurrentHashMap.newKeySet();

  /** A polling caller's query to one server. */
  private record Poll(String server, Set<QueuePart> parts, Set<QueueName> queues) {}

  /**
   * What was not answered in time, while that call is outstanding: a {@link Poll}, or a server.
   * With the callers that were skipped since, and the queues skipped for each.
   */
  private final Map<Object, Map<Asker, Set<QueueName>>> owed = new HashMap<>();

  /** Answers that were too late for one poll, kept for the next. */
  private final Map<Set<QueuePart>, Set<QueueName>> late = new HashMap<>();

  private final Executor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          DaemonThreadPools.factory("asynq-shard-question"));

  public ShardFanOut() {
    this(() -> PATIENCE_NANOS);
  }

  /**
   * @param patienceNanos how long to wait for the answers to a query
   */
  ShardFanOut(LongSupplier patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /**
   * Returns the answers of all servers that answer in time.
   *
   * @param asker notified of later answers on another thread
   */
  Set<QueueName> ask(
      Collection<Shard> shards, Function<Shard, Set<QueueName>> question, Asker asker) {
    return askInTime(shards, question, Shard::server, asker, asker::lookAgain);
  }

  /**
   * Variant for polling callers: a late answer is part of the result of the next query for these
   * parts of the queue.
   */
  Set<QueueName> ask(
      Collection<Shard> shards, Function<Shard, Set<QueueName>> question, Set<QueuePart> parts) {
    Set<QueueName> having = takeLate(parts, shards);
    having.addAll(
        askInTime(
            shards,
            question,
            shard -> new Poll(shard.server(), parts, Set.copyOf(shard.queues())),
            null,
            found -> keepLate(parts, found)));
    return having;
  }

  private Set<QueueName> askInTime(
      Collection<Shard> shards,
      Function<Shard, Set<QueueName>> question,
      Function<Shard, Object> call,
      @Nullable Asker asker,
      Consumer<Set<QueueName>> receiver) {
    Set<QueueName> having = new HashSet<>();
    long patience = patienceNanos.getAsLong();
    collect(shards, question, patience, /* waitsForAll= */ false, call, asker, receiver)
        .values()
        .forEach(having::addAll);
    return having;
  }

  /**
   * Calls servers for data of any kind. Returns the answers that arrive in time; later ones are
   * dropped. A server that timed out is not called again until that call has ended.
   */
  public <T> Map<Shard, T> askAll(
      Collection<Shard> shards, Function<Shard, T> question, Duration patience) {
    long nanos = patience.toNanos();
    return collect(
        shards, question, nanos, /* waitsForAll= */ true, Shard::server, null, dropped -> {});
  }

  private synchronized boolean isLeftOut(Object call, Shard shard, @Nullable Asker asker) {
    Map<Asker, Set<QueueName>> skipped = owed.get(call);
    if (skipped != null && asker != null) {
      skipped.computeIfAbsent(asker, any -> new HashSet<>()).addAll(shard.queues());
    }
    return skipped != null;
  }

  // Ignoring the future is safe: failures are handled here, and the receiver catches its own.
  @SuppressWarnings("FutureReturnValueIgnored")
  private <T> void fetchLater(
      Object call, Shard shard, CompletableFuture<T> answer, Consumer<T> receiver) {
    answer.whenComplete(
        (late, error) -> {
          Map<Asker, Set<QueueName>> skipped;
          synchronized (this) {
            skipped = owed.remove(call);
          }
          if (error != null) {
            failed(shard, error);
            return;
          }
          receiver.accept(late);
          if (skipped != null) {
            skipped.forEach(Asker::lookAgain);
          }
        });
    // Only if the action above has still to run: otherwise the server would be skipped forever.
    synchronized (this) {
      if (!answer.isDone()) {
        owed.computeIfAbsent(call, any -> new HashMap<>());
      }
    }
  }

  private synchronized Set<QueueName> takeLate(Set<QueuePart> parts, Collection<Shard> shards) {
    Set<QueueName> taken = new HashSet<>();
    shards.forEach(shard -> taken.addAll(shard.queues()));
    Set<QueueName> known = late.getOrDefault(parts, new HashSet<>());
    taken.retainAll(known);
    known.removeAll(taken);
    return taken;
  }

  private synchronized void keepLate(Set<QueuePart> parts, Set<QueueName> having) {
    late.computeIfAbsent(parts, any -> new HashSet<>()).addAll(having);
  }

  /**
   * Calls all servers that have no outstanding call.
   *
   * @param waitsForAll waits for unresponsive servers too; otherwise their answers count only if
   *     they have already arrived
   * @param call identifies the call to a server while it is outstanding
   * @param asker notified of the queues that are skipped because of an outstanding call
   * @param receiver of each late answer
   */
  private <T> Map<Shard, T> collect(
      Collection<Shard> shards,
      Function<Shard, T> question,
      long patienceNanos,
      boolean waitsForAll,
      Function<Shard, Object> call,
      @Nullable Asker asker,
      Consumer<T> receiver) {
    Map<Shard, CompletableFuture<T>> asked = new LinkedHashMap<>();
    for (Shard shard : shards) {
      if (!isLeftOut(call.apply(shard), shard, asker)) {
        asked.put(shard, CompletableFuture.supplyAsync(() -> question.apply(shard), threads));
      }
    }
    Map<Shard, T> answers = new LinkedHashMap<>();
    long end = System.nanoTime() + patienceNanos;
    asked.forEach(
        (shard, answer) -> {
          boolean waits = waitsForAll || !unresponsive.contains(shard.server());
          long patience = waits ? Math.max(0, end - System.nanoTime()) : 0;
          try {
            answers.put(shard, answer.get(patience, TimeUnit.NANOSECONDS));
            if (!waitsForAll) {
              unresponsive.remove(shard.server());
            }
          } catch (TimeoutException e) {
            if (!waitsForAll) {
              doNotWaitFor(shard.server(), answer, end);
            }
            fetchLater(call.apply(shard), shard, answer, receiver);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fetchLater(call.apply(shard), shard, answer, receiver);
          } catch (ExecutionException e) {
            failed(shard, e.getCause());
          }
        });
    return answers;
  }

  // Ignoring the future is safe: failures are handled by the caller.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void doNotWaitFor(String server, CompletableFuture<?> answer, long end) {
    unresponsive.add(server);
    answer.thenRun(
        () -> {
          if (end - System.nanoTime() > 0) {
            unresponsive.remove(server);
          }
        });
  }

  /** Only logs the failure: every watch is reset when the server's tracking works again. */
  private static void failed(Shard shard, @Nullable Throwable error) {
    log.debug(
        "query to the Redis server at {} failed; its queues count as empty for now",
        shard.server(),
        error);
  }
}
