package io.asynq4j.server;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.broker.Settled;
import io.asynq4j.broker.Settlement;
import io.asynq4j.broker.TaskSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells Redis how attempts ended, many at a time: for each queue one call is under way, or two when
 * very many wait, and the next takes all that has gathered meanwhile. So a single settlement leaves
 * at once, and under load the calls grow by themselves. A settlement is repeated until Redis has
 * answered it.
 */
final class Settler {

  private static final Logger log = LoggerFactory.getLogger(Settler.class);

  /**
   * How many calls for one queue are under way when so many settlements wait: where Redis is far
   * away, one at a time would not do. With fewer, a second call only keeps claims waiting.
   */
  private static final int MOST_CALLS = 2;

  private static final int MANY = 400;

  /** How often handlers that are about to end are let do so before the first call. */
  private static final int YIELDS = 2;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private record Entry(Attempt attempt, Ended ended) {

    boolean isLike(Entry other) {
      Settlement mine = ended.settlement();
      Settlement others = other.ended.settlement();
      return mine.getClass() == others.getClass() && mine.leavesNothing() == others.leavesNothing();
    }
  }

  private final ServerConfig config;
  private final TaskSource source;
  private final Attempts attempts;
  private final Outages outages;
  private final ServerListener events;
  private final ExecutorService threads;
  private final Signal settled;
  private final Consumer<QueueName> settledOf;
  private final Map<QueueName, Lot> lots = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean givenUp;

  /**
   * @param settled raised when fewer settlements wait
   * @param settledOf told the queue then
   */
  Settler(
      ServerConfig config,
      TaskSource source,
      Attempts attempts,
      Outages outages,
      ServerListener events,
      ExecutorService threads,
      Signal settled,
      Consumer<QueueName> settledOf) {
    this.config = config;
    this.source = source;
    this.attempts = attempts;
    this.outages = outages;
    this.events = events;
    this.threads = threads;
    this.settled = settled;
    this.settledOf = settledOf;
  }

  void add(Attempt attempt, Ended ended) {
    waiting.incrementAndGet();
    Lot lot = lots.computeIfAbsent(attempt.queue(), Lot::new);
    lot.add(new Entry(attempt, ended));
  }

  /**
   * Gives tasks back to the head of their queue, in one piece, so that they stand there in the
   * order in which they are given.
   */
  void requeue(QueueName queue, List<Attempt> unfinished) {
    waiting.addAndGet(unfinished.size());
    Lot lot = lots.computeIfAbsent(queue, Lot::new);
    List<Entry> entries =
        unfinished.stream().map(attempt -> new Entry(attempt, Endings.requeued(attempt))).toList();
    threads.execute(() -> lot.settle(entries));
  }

  /** How many attempts have ended and are not settled. */
  int waiting() {
    return waiting.get();
  }

  /** Stops repeating what Redis does not answer. */
  void giveUp() {
    givenUp = true;
  }

  /** The settlements of one queue. */
  private final class Lot implements Runnable {
    private final QueueName queue;
    private final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();

    Lot(QueueName queue) {
      this.queue = queue;
    }

    void add(Entry entry) {
      entries.add(entry);
      size.incrementAndGet();
      start();
    }

    private void start() {
      int calls = underWay.get();
      if ((calls == 0 || (calls < MOST_CALLS && size.get() >= MANY))
          && underWay.compareAndSet(calls, calls + 1)) {
        try {
          threads.execute(this);
        } catch (RejectedExecutionException e) {
          // The server has stopped, on word of whoever heard of this end: nobody else will do it.
          run();
        }
      }
    }

    // Nothing relies on the scheduler: without the yields the first call is smaller, and as right.
    @SuppressWarnings("ThreadPriorityCheck")
    @Override
    public void run() {
      for (int i = 0; i < YIELDS; i++) {
        Thread.yield();
      }
      try {
        for (List<Entry> batch = next(); !batch.isEmpty(); batch = next()) {
          settle(batch);
        }
      } finally {
        underWay.decrementAndGet();
      }
      // What came after the last look, while this run still counted as under way.
      if (!entries.isEmpty()) {
        start();
      }
    }

    /**
     * As many as one call does together, all of the kind of the first: several calls, of which one
     * fails, could not be repeated without mistaking what is done for what is lost.
     */
    private synchronized List<Entry> next() {
      List<Entry> batch = new ArrayList<>();
      Entry first = entries.peek();
      int most = first == null ? 0 : first.ended().settlement().mostInACall();
      for (Entry entry = first;
          entry != null && batch.size() < most && entry.isLike(first);
          entry = entries.peek()) {
        batch.add(entry);
        entries.remove();
      }
      size.addAndGet(-batch.size());
      return batch;
    }

    private void settle(List<Entry> batch) {
      List<Settlement> settlements =
          batch.stream().map(entry -> entry.ended().settlement()).toList();
      Duration pause = FIRST_PAUSE;
      boolean inDoubt = false;
      while (true) {
        try {
          List<Settled> answers =
              source.settle(queue, settlements, config.rulesOf(queue), config.archive());
          outages.worked();
          // Before listeners are told: one of them may wait for the server to stop.
          waiting.addAndGet(-batch.size());
          events.settledTogether(queue, batch.size());
          for (int i = 0; i < batch.size(); i++) {
            answered(batch.get(i), answers.get(i), inDoubt);
          }
          break;
        } catch (BrokerException e) {
          inDoubt |= e.mayHaveBeenApplied();
          if (!outages.failed(e)) {
            log.warn("could not settle {} tasks of queue {}", batch.size(), queue, e);
          }
        } catch (RuntimeException | Error e) {
          log.error("could not settle {} tasks of queue {}", batch.size(), queue, e);
        }
        if (givenUp || !Pause.sleep(pause)) {
          log.warn(
              "gave up on settling {} tasks of queue {}; they are recovered when their leases end",
              batch.size(),
              queue);
          batch.forEach(entry -> attempts.remove(entry.attempt()));
          waiting.addAndGet(-batch.size());
          break;
        }
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
      }
      settled.raise();
      settledOf.accept(queue);
    }

    /**
     * @param inDoubt an earlier try may have been done without an answer; then the lease is gone
     *     because the task is settled
     */
    private void answered(Entry entry, Settled answer, boolean inDoubt) {
      Attempt attempt = entry.attempt();
      attempts.remove(attempt);
      if (answer == Settled.DONE || inDoubt) {
        events.settled(attempt.ref(), entry.ended().ending(), attempt.sinceEnded());
      } else {
        log.warn(
            "task {} ({}, queue {}) was not settled: its lease is lost",
            attempt.id(),
            attempt.type(),
            queue);
        events.leaseLost(attempt.ref());
      }
    }
  }
}
