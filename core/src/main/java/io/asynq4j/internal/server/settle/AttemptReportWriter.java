package io.asynq4j.internal.server.settle;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes progress and results that handlers report while they run. One call at a time is in flight
 * for each Redis server, and takes the reports of many attempts, so that frequent reports do not
 * occupy connections that others need. Only the last progress of an attempt counts. Thread-safe.
 */
public final class AttemptReportWriter implements AttemptHost.Reports {

  private static final Logger log = LoggerFactory.getLogger(AttemptReportWriter.class);

  private static final String PROGRESS_NOT_WRITTEN =
      SafeLog.text("could not write the progress of tasks; retrying");

  /** Pause between two writes of progress. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private record Result(Attempt attempt, Payload payload, CompletableFuture<Boolean> written) {}

  private final LeaseOperations source;
  private final ShardTopology shards;
  private final Map<String, ProgressLane> progress = new ConcurrentHashMap<>();
  private final Map<String, ResultLane> results = new ConcurrentHashMap<>();
  private volatile boolean failed;

  public AttemptReportWriter(LeaseOperations source, ShardTopology shards) {
    this.source = source;
    this.shards = shards;
  }

  @Override
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
  @Override
  public boolean writeResult(Attempt attempt, Payload payload) {
    Result result = new Result(attempt, payload, new CompletableFuture<>());
    results.computeIfAbsent(shards.of(attempt.queue()), any -> new ResultLane()).add(result);
    try {
      return result.written().get();
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
  void flush(QueueName queue, List<PendingSettlement> batch) {
    ProgressLane lane = progress.isEmpty() ? null : progress.get(shards.of(queue));
    if (lane != null && !lane.unwritten.isEmpty()) {
      List<Attempt> attempts =
          batch.stream()
              .map(PendingSettlement::attempt)
              .filter(attempt -> attempt != null && lane.unwritten.containsKey(attempt))
              .toList();
      if (!attempts.isEmpty()) {
        lane.write(attempts);
      }
    }
  }

  /** The progress of attempts on one Redis server. */
  private final class ProgressLane implements Runnable {

    /** Includes what is being written. */
    private final Map<Attempt, Progress> unwritten = new ConcurrentHashMap<>();

    private final AtomicBoolean running = new AtomicBoolean();

    void add(Attempt attempt, Progress value) {
      unwritten.put(attempt, value);
      if (running.compareAndSet(false, true)) {
        try {
          shards.threads().execute(this);
        } catch (RuntimeException | Error e) {
          running.set(false);
          throw e;
        }
      }
    }

    @Override
    public void run() {
      boolean any = true;
      try {
        any = write(unwritten.keySet());
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, PROGRESS_NOT_WRITTEN, e);
      }
      running.set(any);
      // Some may have been added after the write, while this lane still counted as running.
      if (any || (!unwritten.isEmpty() && running.compareAndSet(false, true))) {
        // If no thread is available, the next report starts the lane again.
        shards.executeLater(this, PAUSE, error -> running.set(false));
      }
    }

    /**
     * Writes each value once. Returns whether there was anything to write. Synchronized, so that no
     * older value is written after a newer one.
     */
    synchronized boolean write(Collection<Attempt> attempts) {
      Map<Attempt, Progress> values = new LinkedHashMap<>();
      for (Attempt attempt : attempts) {
        Progress value = unwritten.get(attempt);
        if (value != null) {
          values.put(attempt, value);
        }
      }
      try {
        write(values);
      } finally {
        values.forEach(unwritten::remove);
      }
      return !values.isEmpty();
    }

    /** A failure does not affect the attempts: progress is only informative. */
    private void write(Map<Attempt, Progress> values) {
      Map<QueueName, List<LeaseOperations.Step>> byQueue =
          values.entrySet().stream()
              .map(entry -> new LeaseOperations.Step(entry.getKey().claim(), entry.getValue()))
              .collect(Collectors.groupingBy(step -> step.claim().queue()));
      for (Map.Entry<QueueName, List<LeaseOperations.Step>> ofQueue : byQueue.entrySet()) {
        try {
          source.write(ofQueue.getKey(), ofQueue.getValue());
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

  /** The results for one Redis server that wait for the call in flight. */
  private final class ResultLane implements Runnable {
    private final Queue<Result> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean running = new AtomicBoolean();

    void add(Result result) {
      waiting.add(result);
      start();
    }

    private void start() {
      if (!waiting.isEmpty() && running.compareAndSet(false, true)) {
        try {
          shards.threads().execute(this);
        } catch (RuntimeException | Error e) {
          running.set(false);
          // Handlers wait for these results.
          for (Result next = waiting.poll(); next != null; next = waiting.poll()) {
            next.written().completeExceptionally(e);
          }
        }
      }
    }

    @Override
    public void run() {
      List<Result> batch = List.of();
      try {
        while (!waiting.isEmpty()) {
          batch = new ArrayList<>();
          for (Result next = waiting.peek(); next != null; next = waiting.peek()) {
            batch.add(next);
            // By value: a caller that could not start a thread may have taken it meanwhile.
            waiting.remove(next);
          }
          write(batch);
        }
      } catch (RuntimeException | Error e) {
        batch.forEach(result -> result.written().completeExceptionally(e));
      } finally {
        running.set(false);
      }
      start();
    }

    private void write(List<Result> batch) {
      BrokerUnavailableException outage = null;
      Map<QueueName, List<Result>> byQueue =
          batch.stream().collect(Collectors.groupingBy(result -> result.attempt().queue()));
      for (List<Result> ofQueue : byQueue.values()) {
        try {
          if (outage != null) {
            // The same server: each further call would delay handlers by the time limit again.
            throw outage;
          }
          write(ofQueue.get(0).attempt().queue(), ofQueue);
        } catch (RuntimeException | Error e) {
          outage = e instanceof BrokerUnavailableException unavailable ? unavailable : outage;
          ofQueue.forEach(result -> result.written().completeExceptionally(e));
        }
      }
    }

    private void write(QueueName queue, List<Result> batch) {
      List<Boolean> answers =
          source.write(
              queue,
              batch.stream()
                  .map(each -> new LeaseOperations.Result(each.attempt().claim(), each.payload()))
                  .toList());
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).written().complete(answers.get(i));
      }
    }
  }
}
