package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends tasks of many callers together: for each queue one call is under way, and the next takes
 * what has gathered meanwhile. So a single task leaves at once, and under load the calls grow by
 * themselves. Thread-safe.
 */
final class Gatherer {

  /** What is sent before the first of those who wait gets its answer. */
  private static final int MOST = 100;

  private final Sender sender;
  private final ThreadPoolExecutor threads;
  private final Map<Destination, Lot> lots = new ConcurrentHashMap<>();
  private volatile boolean closed;
  private volatile boolean givenUp;

  Gatherer(Sender sender, int maxThreads) {
    this.sender = sender;
    this.threads = ClientThreads.upTo(maxThreads, "asynq-enqueue");
  }

  Entry add(NewTask task, Durability durability) {
    requireOpen();
    Entry entry = new Entry(task);
    Lot lot = lots.computeIfAbsent(Destination.of(task, durability), Lot::new);
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

  private final class Lot implements Runnable {
    private final Destination destination;
    private final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean underWay = new AtomicBoolean();

    Lot(Destination destination) {
      this.destination = destination;
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
        NewTask task = entry.take();
        if (task != null) {
          batch.add(entry);
          tasks.add(task);
        }
      }
      return !batch.isEmpty();
    }

    private void send(List<Entry> batch, List<NewTask> tasks) {
      List<EnqueueAnswer> answers = sender.send(tasks, destination.durability());
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).answer().complete(answers.get(i));
      }
    }

    /** Fails what waits. */
    private void drop() {
      Entry entry;
      while ((entry = entries.poll()) != null) {
        if (entry.take() != null) {
          entry
              .answer()
              .complete(
                  EnqueueAnswer.failed(
                      new IllegalStateException(
                          "this client was closed before the task was sent; it is not enqueued")));
        }
      }
    }
  }
}
