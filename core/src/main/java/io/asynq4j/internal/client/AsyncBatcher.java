package io.asynq4j.internal.client;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.rules.DurabilityRequirement;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Batches tasks of many callers: each queue has one call in flight, and the next call takes the
 * tasks that arrived meanwhile. So a single task is sent at once, and calls grow under load.
 * Thread-safe.
 */
public final class AsyncBatcher {

  /** Maximum batch size: the first caller waits for the whole batch. */
  static final int MOST = 100;

  private final EnqueueSender sender;
  private final Function<QueueName, String> shardOf;
  private final Function<String, ThreadPoolExecutor> pools;

  /** Threads by Redis server, so that an unresponsive server delays only its queues. */
  private final Map<String, ThreadPoolExecutor> threads = new ConcurrentHashMap<>();

  private final Map<BatchKey, Batch> batches = new ConcurrentHashMap<>();
  private volatile boolean closed;
  private volatile boolean givenUp;

  /**
   * @param shardOf the server that has a queue, from cached data; must not block
   * @param pools creates the threads of a server
   */
  public AsyncBatcher(
      EnqueueSender sender,
      Function<QueueName, String> shardOf,
      Function<String, ThreadPoolExecutor> pools) {
    this.sender = sender;
    this.shardOf = shardOf;
    this.pools = pools;
  }

  /** Adds an entry, which is answered unless this method throws. */
  void add(PendingEnqueue entry, BatchKey destination) {
    requireOpen();
    Batch batch = batches.computeIfAbsent(destination, Batch::new);
    batch.entries.add(entry);
    batch.start();
  }

  /**
   * Returns whether no call to the task's destination is in flight, so that it would be sent alone.
   */
  boolean isIdleFor(NewTask task, DurabilityRequirement confirmation) {
    Batch batch = batches.get(BatchKey.of(task, confirmation));
    return batch == null || !batch.underWay.get();
  }

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this client is closed; create a new one");
    }
  }

  /**
   * Rejects new tasks and waits up to {@code most} until all accepted tasks are sent. Then the rest
   * fails.
   */
  public void close(Duration most) {
    closed = true;
    List<ThreadPoolExecutor> all = List.copyOf(threads.values());
    all.forEach(ExecutorService::shutdown);
    long end = System.nanoTime() + TimeMath.nanos(most);
    try {
      for (ThreadPoolExecutor pool : all) {
        pool.awaitTermination(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    givenUp = true;
    batches.values().forEach(Batch::drop);
  }

  private final class Batch implements Runnable {
    private final BatchKey destination;
    private final ConcurrentLinkedQueue<PendingEnqueue> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean underWay = new AtomicBoolean();
    // State of the current run, allocated at full size: accepted tasks must not be lost for lack of
    // memory.
    private final List<PendingEnqueue> batch = new ArrayList<>(MOST);
    private final List<NewTask> tasks = new ArrayList<>(MOST);

    Batch(BatchKey destination) {
      this.destination = destination;
    }

    void start() {
      if (!underWay.get() && underWay.compareAndSet(false, true)) {
        try {
          ThreadPoolExecutor pool =
              threads.computeIfAbsent(shardOf.apply(destination.queue()), pools);
          if (closed) {
            pool.shutdown();
          }
          pool.execute(this);
        } catch (RejectedExecutionException e) {
          underWay.set(false);
          drop();
        } catch (Throwable e) {
          // No thread could be started. The next task tries again.
          underWay.set(false);
          fail(
              PendingEnqueue.failed(
                  "no thread could be started to send tasks (" + e + "); the task was not sent",
                  /* mayHaveBeenApplied= */ false,
                  e));
        }
      }
    }

    @Override
    public void run() {
      try {
        while (!givenUp && take()) {
          send();
        }
      } finally {
        underWay.set(false);
        // Tasks that arrived after the last check, while this run still counted as in flight.
        if (!entries.isEmpty()) {
          start();
        }
      }
    }

    private boolean take() {
      PendingEnqueue entry;
      while (batch.size() < MOST && (entry = entries.poll()) != null) {
        NewTask task = entry.take();
        if (task != null) {
          batch.add(entry);
          tasks.add(task);
        }
      }
      return !batch.isEmpty();
    }

    /** Answers all entries, whatever happens, since this thread continues with later ones. */
    private void send() {
      try {
        List<EnqueueReply> answers = sender.send(tasks, destination.confirmation());
        for (int i = 0; i < batch.size(); i++) {
          batch.get(i).answer().complete(answers.get(i));
        }
      } catch (Throwable e) {
        for (int i = 0; i < batch.size(); i++) {
          batch.get(i).lose(e);
        }
      } finally {
        batch.clear();
        tasks.clear();
      }
    }

    private void drop() {
      fail(
          EnqueueReply.failed(
              new IllegalStateException(
                  "this client was closed before the task was sent; it is not enqueued")));
    }

    /** Fails the waiting entries. */
    private void fail(EnqueueReply failure) {
      PendingEnqueue entry;
      while ((entry = entries.poll()) != null) {
        if (entry.take() != null) {
          entry.answer().complete(failure);
        }
      }
    }
  }
}
