package io.asynq4j.internal.server.settle;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes progress and results that handlers report while they run. One call at a time is in flight
 * for each Redis server, and takes the reports of many attempts, so that frequent reports do not
 * occupy connections that others need. Only the last progress of an attempt counts. Thread-safe.
 */
public final class AttemptReportWriter {

  private static final Logger log = LoggerFactory.getLogger(AttemptReportWriter.class);

  /** Pause between two writes of progress. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private record Result(Payload payload, CompletableFuture<Boolean> written) {}

  private final LeaseOperations source;
  private final ShardTopology shards;
  private final Map<String, ProgressLane> progress = new ConcurrentHashMap<>();
  private final Map<String, ResultLane> results = new ConcurrentHashMap<>();
  private volatile boolean failed;

  public AttemptReportWriter(LeaseOperations source, ShardTopology shards) {
    this.source = source;
    this.shards = shards;
  }

  /** Returns at once. */
  public void progress(Attempt attempt, Progress value) {
    try {
      progress
          .computeIfAbsent(shards.of(attempt.queue()), any -> new ProgressLane())
          .add(attempt, value);
    } catch (RejectedExecutionException e) {
      log.debug("the server has stopped; the progress of task {} is not written", attempt.id());
    }
  }

  /**
   * Waits until it is written. Returns false if the lease is lost or the server has stopped.
   *
   * @throws BrokerUnavailableException also if the thread is interrupted
   */
  public boolean result(Attempt attempt, Payload payload) {
    try {
      return results
          .computeIfAbsent(shards.of(attempt.queue()), any -> new ResultLane())
          .add(attempt, new Result(payload, new CompletableFuture<>()))
          .written()
          .get();
    } catch (RejectedExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerUnavailableException(
          "interrupted while a result is written", /* mayHaveBeenApplied= */ true, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RejectedExecutionException) {
        return false;
      }
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("could not write a result", e.getCause());
    }
  }

  /**
   * Writes the last progress of attempts of a queue that are about to be settled. Returns at once
   * if none of them has reported any since the last write.
   */
  void flush(QueueName queue, Collection<Attempt> attempts) {
    ProgressLane lane = progress.isEmpty() ? null : progress.get(shards.of(queue));
    if (lane != null) {
      lane.flush(attempts);
    }
  }

  /** The reports for one Redis server that wait for the call in flight, by attempt. */
  private abstract class Lane<V> implements Runnable {
    private final Map<Attempt, V> waiting = new LinkedHashMap<>();
    private Set<Attempt> beingWritten = Set.of();
    private boolean running;

    /** Returns the report that waits now, which replaces an earlier one of the attempt. */
    V add(Attempt attempt, V value) {
      V added;
      synchronized (this) {
        added = waiting.merge(attempt, value, this::replacing);
        if (running) {
          return added;
        }
        running = true;
      }
      try {
        shards.threads().execute(this);
      } catch (RuntimeException | Error e) {
        stop(e);
        throw e;
      }
      return added;
    }

    synchronized Map<Attempt, V> take() {
      Map<Attempt, V> taken = new LinkedHashMap<>(waiting);
      waiting.clear();
      beingWritten = taken.keySet();
      running = !taken.isEmpty();
      return taken;
    }

    synchronized Map<Attempt, V> take(Collection<Attempt> attempts) {
      if (waiting.isEmpty()) {
        return Map.of();
      }
      Map<Attempt, V> taken = new LinkedHashMap<>();
      for (Attempt attempt : attempts) {
        V value = waiting.remove(attempt);
        if (value != null) {
          taken.put(attempt, value);
        }
      }
      return taken;
    }

    synchronized void written() {
      beingWritten = Set.of();
    }

    synchronized boolean isBeingWritten(Collection<Attempt> attempts) {
      return !beingWritten.isEmpty() && attempts.stream().anyMatch(beingWritten::contains);
    }

    /** Records that an error has ended the call; the next report starts another. */
    synchronized void stop(Throwable error) {
      running = false;
      beingWritten = Set.of();
      failed(waiting, error);
    }

    V replacing(V former, V value) {
      return value;
    }

    /** Called with the lock held if an error prevents the waiting reports from being written. */
    void failed(Map<Attempt, V> waiting, Throwable error) {}
  }

  private static <V> Map<QueueName, List<Map.Entry<Attempt, V>>> byQueue(Map<Attempt, V> all) {
    return all.entrySet().stream().collect(Collectors.groupingBy(entry -> entry.getKey().queue()));
  }

  private final class ProgressLane extends Lane<Progress> {

    /** Prevents that an older value is written after a newer one. */
    private final ReentrantLock writing = new ReentrantLock();

    @Override
    public void run() {
      boolean any = true;
      try {
        any = writeAll();
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "could not write the progress of tasks; retrying", e);
      }
      if (any) {
        shards.executeLater(this, PAUSE, this::stop);
      }
    }

    private boolean writeAll() {
      writing.lock();
      try {
        Map<Attempt, Progress> taken = take();
        write(taken);
        return !taken.isEmpty();
      } finally {
        written();
        writing.unlock();
      }
    }

    void flush(Collection<Attempt> attempts) {
      Map<Attempt, Progress> taken = take(attempts);
      if (taken.isEmpty() && !isBeingWritten(attempts)) {
        return;
      }
      writing.lock();
      try {
        write(taken);
      } finally {
        writing.unlock();
      }
    }

    /** A failure does not affect the attempts: progress is only informative. */
    private void write(Map<Attempt, Progress> values) {
      for (Map.Entry<QueueName, List<Map.Entry<Attempt, Progress>>> ofQueue :
          byQueue(values).entrySet()) {
        try {
          source.writeProgress(
              ofQueue.getKey(),
              ofQueue.getValue().stream()
                  .map(entry -> new LeaseOperations.Step(entry.getKey().claim(), entry.getValue()))
                  .toList());
          failed = false;
        } catch (RuntimeException e) {
          if (!failed) {
            failed = true;
            log.warn("could not write the progress of tasks of queue {}", ofQueue.getKey(), e);
          }
          if (e instanceof BrokerUnavailableException) {
            // The other queues are on the same server.
            return;
          }
        }
      }
    }
  }

  private final class ResultLane extends Lane<Result> {

    @Override
    Result replacing(Result former, Result value) {
      return new Result(value.payload(), former.written());
    }

    @Override
    void failed(Map<Attempt, Result> waiting, Throwable error) {
      waiting.values().forEach(result -> result.written().completeExceptionally(error));
      waiting.clear();
    }

    @Override
    public void run() {
      Map<Attempt, Result> taken = Map.of();
      try {
        for (taken = take(); !taken.isEmpty(); taken = take()) {
          write(taken);
        }
      } catch (RuntimeException | Error e) {
        // Handlers wait for these results.
        taken.values().forEach(result -> result.written().completeExceptionally(e));
        stop(e);
      }
    }

    private void write(Map<Attempt, Result> taken) {
      BrokerUnavailableException outage = null;
      for (Map.Entry<QueueName, List<Map.Entry<Attempt, Result>>> ofQueue :
          byQueue(taken).entrySet()) {
        List<Map.Entry<Attempt, Result>> entries = ofQueue.getValue();
        try {
          if (outage != null) {
            // The same server: each further call would delay handlers by the time limit again.
            throw outage;
          }
          write(ofQueue.getKey(), entries);
        } catch (RuntimeException | Error e) {
          outage = e instanceof BrokerUnavailableException unavailable ? unavailable : outage;
          entries.forEach(entry -> entry.getValue().written().completeExceptionally(e));
        }
      }
    }

    private void write(QueueName queue, List<Map.Entry<Attempt, Result>> entries) {
      List<Boolean> answers =
          source.writeResults(
              queue,
              entries.stream()
                  .map(
                      entry ->
                          new LeaseOperations.Result(
                              entry.getKey().claim(), entry.getValue().payload()))
                  .toList());
      for (int i = 0; i < entries.size(); i++) {
        entries.get(i).getValue().written().complete(answers.get(i));
      }
    }
  }
}
