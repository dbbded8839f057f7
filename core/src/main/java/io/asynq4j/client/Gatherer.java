package io.asynq4j.client;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Durability;
import io.asynq4j.QueueName;
import io.asynq4j.broker.Confirmation;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.TaskSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends tasks of many callers together: for each queue one call is under way, and the next takes
 * what has gathered meanwhile. So a single task leaves at once, and under load the calls grow by
 * themselves. Thread-safe.
 */
final class Gatherer {

  /** What is sent before the first of those who wait gets its answer. */
  private static final int MOST = 100;

  private record Kind(QueueName queue, Durability durability) {}

  private final TaskSink sink;
  private final Function<Durability, Confirmation> confirmations;
  private final ThreadPoolExecutor threads;
  private final Map<Kind, Lot> lots = new ConcurrentHashMap<>();
  private volatile boolean closed;
  private volatile boolean givenUp;

  Gatherer(TaskSink sink, Function<Durability, Confirmation> confirmations, int maxThreads) {
    this.sink = sink;
    this.confirmations = confirmations;
    this.threads = ClientThreads.upTo(maxThreads, "asynq-enqueue");
  }

  Entry add(NewTask task, Durability durability) {
    requireOpen();
    Entry entry = new Entry(task);
    Lot lot = lots.computeIfAbsent(new Kind(task.message().queue(), durability), Lot::new);
    lot.entries.add(entry);
    lot.start();
    return entry;
  }

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this client has been closed");
    }
  }

  /**
   * Takes nothing more, and waits so long until all that was taken is sent. What is not by then
   * fails.
   */
  void close(Duration most) {
    closed = true;
    threads.shutdown();
    try {
      threads.awaitTermination(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    givenUp = true;
    lots.values().forEach(Lot::drop);
  }

  /** A task that waits to be sent, or for its answer. */
  static final class Entry {
    private final AtomicReference<@Nullable NewTask> unsent;
    private final CompletableFuture<EnqueueAnswer> answer = new CompletableFuture<>();

    private Entry(NewTask task) {
      this.unsent = new AtomicReference<>(task);
    }

    CompletableFuture<EnqueueAnswer> answer() {
      return answer;
    }

    /** Waits for the answer until a time of {@code System.nanoTime()}; for ever when null. */
    EnqueueAnswer await(@Nullable Long until) {
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

    /** The answer if there is one; else the failure, and the task is not sent any more. */
    EnqueueAnswer giveUp(String problem, Throwable cause) {
      if (unsent.getAndSet(null) != null) {
        return EnqueueAnswer.failed(
            new BrokerUnavailableException(problem + "; the task was not sent", false, cause));
      }
      EnqueueAnswer late = answer.getNow(null);
      return late != null
          ? late
          : EnqueueAnswer.failed(
              new BrokerUnavailableException(
                  problem + "; the task was sent, and may be enqueued or come to be", true, cause));
    }
  }

  private final class Lot implements Runnable {
    private final Kind kind;
    private final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean underWay = new AtomicBoolean();

    Lot(Kind kind) {
      this.kind = kind;
    }

    void start() {
      if (!underWay.get() && underWay.compareAndSet(false, true)) {
        try {
          threads.execute(this);
        } catch (RejectedExecutionException e) {
          underWay.set(false);
          drop();
        }
      }
    }

    @Override
    public void run() {
      List<Entry> batch = new ArrayList<>();
      List<NewTask> tasks = new ArrayList<>();
      try {
        while (!givenUp && take(batch, tasks)) {
          send(batch, tasks);
          batch.clear();
          tasks.clear();
        }
      } finally {
        underWay.set(false);
      }
      // What came after the last look, while this run still counted as under way.
      if (!entries.isEmpty()) {
        start();
      }
    }

    private boolean take(List<Entry> batch, List<NewTask> tasks) {
      Entry entry;
      while (batch.size() < MOST && (entry = entries.poll()) != null) {
        NewTask task = entry.unsent.getAndSet(null);
        if (task != null) {
          batch.add(entry);
          tasks.add(task);
        }
      }
      return !batch.isEmpty();
    }

    private void send(List<Entry> batch, List<NewTask> tasks) {
      List<EnqueueAnswer> answers = answers(tasks);
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).answer.complete(answers.get(i));
      }
    }

    // Whatever goes wrong, nobody must wait for ever.
    private List<EnqueueAnswer> answers(List<NewTask> tasks) {
      try {
        return sink.enqueueEach(tasks, confirmations.apply(kind.durability()));
      } catch (RuntimeException e) {
        return tasks.stream().map(task -> EnqueueAnswer.failed(e)).toList();
      }
    }

    /** Fails what waits. */
    private void drop() {
      Entry entry;
      while ((entry = entries.poll()) != null) {
        if (entry.unsent.getAndSet(null) != null) {
          entry.answer.complete(
              EnqueueAnswer.failed(
                  new IllegalStateException(
                      "this client was closed before the task was sent; it is not enqueued")));
        }
      }
    }
  }
}
