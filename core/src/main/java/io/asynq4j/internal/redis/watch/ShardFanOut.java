package io.asynq4j.internal.redis.watch;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
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
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries several servers of a cluster at the same time, with a short timeout for all. A server
 * that fails or does not answer in time counts as having no entries. A server with an outstanding
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

  /**
   * By server with an outstanding call: the callers, and the queues skipped for each of them since.
   */
  private final Map<String, Map<Asker, Set<QueueName>>> silent = new HashMap<>();

  /** A polling caller's query that the server has not answered yet. */
  private record Owed(String server, Set<QueuePart> parts, Set<QueueName> queues) {}

  private final Set<Owed> owed = new HashSet<>();

  /** Servers that did not answer {@link #askAll} in time, while that call is outstanding. */
  private final Set<String> owing = ConcurrentHashMap.newKeySet();

  /** Answers that were too late for one poll, kept for the next. */
  private final Map<Set<QueuePart>, Set<QueueName>> late = new HashMap<>();

  private final Executor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          ShardFanOut::daemon);

  public ShardFanOut() {
    this(() -> PATIENCE_NANOS);
  }

  /**
   * @param patienceNanos how long to wait for the answers to a query
   */
  ShardFanOut(LongSupplier patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-shard-question");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns the answers of all servers that answer in time.
   *
   * @param asker notified of later answers on another thread
   */
  Set<QueueName> ask(
      Collection<Shard> shards, Function<Shard, Set<QueueName>> question, Asker asker) {
    Map<Shard, CompletableFuture<Set<QueueName>>> asked = new LinkedHashMap<>();
    for (Shard shard : shards) {
      if (!isLeftOut(shard, asker)) {
        asked.put(shard, CompletableFuture.supplyAsync(() -> question.apply(shard), threads));
      }
    }
    return collect(asked, (shard, answer) -> fetchLater(shard, answer, asker));
  }

  /**
   * Variant for polling callers: a late answer is part of the result of the next query for these
   * parts of the queue.
   */
  Set<QueueName> ask(
      Collection<Shard> shards, Function<Shard, Set<QueueName>> question, Set<QueuePart> parts) {
    Map<Shard, CompletableFuture<Set<QueueName>>> asked = new LinkedHashMap<>();
    Set<QueueName> having = new HashSet<>();
    for (Shard shard : shards) {
      Owed answer = new Owed(shard.server().name(), parts, Set.copyOf(shard.queues()));
      synchronized (this) {
        having.addAll(takeLate(answer));
        if (!owed.add(answer)) {
          continue;
        }
      }
      try {
        asked.put(
            shard,
            CompletableFuture.supplyAsync(() -> question.apply(shard), threads)
                .whenComplete((found, error) -> settle(answer)));
      } catch (RuntimeException | Error e) {
        settle(answer);
        throw e;
      }
    }
    having.addAll(collect(asked, (shard, answer) -> keepLate(shard, answer, parts)));
    return having;
  }

  /**
   * Calls servers for data of any kind. Returns the answers that arrive in time; later ones are
   * dropped. A server that timed out is not called again until that call has ended.
   */
  public <T> Map<Shard, T> askAll(
      Collection<Shard> shards, Function<Shard, T> question, Duration patience) {
    Map<Shard, CompletableFuture<T>> asked = new LinkedHashMap<>();
    for (Shard shard : shards) {
      if (!owing.contains(shard.server().name())) {
        asked.put(shard, CompletableFuture.supplyAsync(() -> question.apply(shard), threads));
      }
    }
    Map<Shard, T> answers = new LinkedHashMap<>();
    collect(asked, patience.toNanos(), Set.of(), answers::put, this::noteOwing);
    return answers;
  }

  // Ignoring the future is safe: its answer is dropped.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void noteOwing(Shard shard, CompletableFuture<?> answer) {
    String server = shard.server().name();
    owing.add(server);
    answer.whenComplete((dropped, error) -> owing.remove(server));
  }

  private synchronized void settle(Owed answer) {
    owed.remove(answer);
  }

  private synchronized Set<QueueName> takeLate(Owed asked) {
    Set<QueueName> known = late.get(asked.parts());
    if (known == null) {
      return Set.of();
    }
    Set<QueueName> taken = new HashSet<>(asked.queues());
    taken.retainAll(known);
    known.removeAll(taken);
    return taken;
  }

  // Ignoring the future is safe: failures are handled here.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void keepLate(
      Shard shard, CompletableFuture<Set<QueueName>> answer, Set<QueuePart> parts) {
    answer.whenComplete(
        (having, error) -> {
          if (error != null) {
            failed(shard, error);
            return;
          }
          synchronized (this) {
            late.computeIfAbsent(parts, any -> new HashSet<>()).addAll(having);
          }
        });
  }

  private Set<QueueName> collect(
      Map<Shard, CompletableFuture<Set<QueueName>>> asked,
      BiConsumer<Shard, CompletableFuture<Set<QueueName>>> whenLate) {
    Set<QueueName> having = new HashSet<>();
    long patience = patienceNanos.getAsLong();
    long end = System.nanoTime() + patience;
    collect(
        asked,
        patience,
        unresponsive,
        (shard, answer) -> {
          having.addAll(answer);
          unresponsive.remove(shard.server().name());
        },
        (shard, answer) -> {
          if (!Thread.currentThread().isInterrupted()) {
            doNotWaitFor(shard.server().name(), answer, end);
          }
          whenLate.accept(shard, answer);
        });
    return having;
  }

  /**
   * @param notWaitedFor servers whose answers count only if they have already arrived
   */
  private static <T> void collect(
      Map<Shard, CompletableFuture<T>> asked,
      long patienceNanos,
      Set<String> notWaitedFor,
      BiConsumer<Shard, T> inTime,
      BiConsumer<Shard, CompletableFuture<T>> whenLate) {
    long end = System.nanoTime() + patienceNanos;
    asked.forEach(
        (shard, answer) -> {
          boolean waits = !notWaitedFor.contains(shard.server().name());
          long patience = waits ? Math.max(0, end - System.nanoTime()) : 0;
          try {
            inTime.accept(shard, answer.get(patience, TimeUnit.NANOSECONDS));
          } catch (TimeoutException e) {
            whenLate.accept(shard, answer);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            whenLate.accept(shard, answer);
          } catch (ExecutionException e) {
            failed(shard, e.getCause());
          }
        });
  }

  // Ignoring the future is safe: failures are handled by the caller.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void doNotWaitFor(String server, CompletableFuture<?> answer, long end) {
    unresponsive.add(server);
    answer.whenComplete(
        (having, error) -> {
          if (error == null && end - System.nanoTime() > 0) {
            unresponsive.remove(server);
          }
        });
  }

  private synchronized boolean isLeftOut(Shard shard, Asker asker) {
    Map<Asker, Set<QueueName>> leftOut = silent.get(shard.server().name());
    if (leftOut != null) {
      leftOut.computeIfAbsent(asker, any -> new HashSet<>()).addAll(shard.queues());
    }
    return leftOut != null;
  }

  // Ignoring the future is safe: failures are handled here, and the asker catches its own.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void fetchLater(Shard shard, CompletableFuture<Set<QueueName>> answer, Asker asker) {
    synchronized (this) {
      silent.computeIfAbsent(shard.server().name(), any -> new HashMap<>());
    }
    try {
      answer.whenComplete((having, error) -> answeredLate(shard, asker, having, error));
    } catch (Error e) {
      // Otherwise no caller would get the answer, and the server would be skipped forever.
      synchronized (this) {
        silent.remove(shard.server().name());
      }
      throw e;
    }
  }

  private void answeredLate(
      Shard shard, Asker asker, @Nullable Set<QueueName> having, @Nullable Throwable error) {
    Map<Asker, Set<QueueName>> leftOut;
    synchronized (this) {
      leftOut = silent.remove(shard.server().name());
    }
    if (having == null) {
      failed(shard, error);
      return;
    }
    if (!having.isEmpty()) {
      asker.lookAgain(having);
    }
    if (leftOut != null) {
      leftOut.forEach(Asker::lookAgain);
    }
  }

  /** Only logs the failure: every watch is reset when the server's tracking works again. */
  private static void failed(Shard shard, @Nullable Throwable error) {
    log.debug(
        "query to the Redis server at {} failed; its queues count as empty for now",
        shard.server().name(),
        error);
  }
}
