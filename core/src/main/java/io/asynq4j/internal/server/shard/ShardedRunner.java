package io.asynq4j.internal.server.shard;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies an action to queues, so that a failed queue does not prevent the others. The queues of
 * each Redis server have a separate lane, in which they run in sequence; a lane whose server is
 * unreachable pauses and retries. With one server for all queues, everything runs on the caller's
 * thread. Thread-safe.
 */
public final class ShardedRunner {

  private static final Logger log = LoggerFactory.getLogger(ShardedRunner.class);

  /**
   * Number of failed queues after which a server counts as unreachable: single queues may only be
   * in migration.
   */
  private static final int MOST_OUTAGES = 2;

  private final String what;
  private final String notStarted;
  private final String notContinued;
  private final String failed;
  private final ShardTopology shards;
  private final Duration rest;
  private final Predicate<QueueName> action;
  private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

  /** Queues that failed last run last, so that they do not use up the time of others. */
  private final Set<QueueName> failing = ConcurrentHashMap.newKeySet();

  /**
   * @param rest how long a lane waits before it retries
   * @param action returns whether it has called Redis; must support repeated calls for a queue
   *     after a failure
   */
  public ShardedRunner(
      String what, ShardTopology shards, Duration rest, Predicate<QueueName> action) {
    this.what = what;
    this.notStarted = "no thread could be started for the " + what + "; the calling thread runs it";
    this.notContinued = "the " + what + " could not continue; retrying later";
    this.failed = "the " + what + " failed; retrying later";
    this.shards = shards;
    this.rest = rest;
    this.action = action;
  }

  /** Adapts actions that always call Redis. */
  public static Predicate<QueueName> calling(Consumer<QueueName> action) {
    return queue -> {
      action.accept(queue);
      return true;
    };
  }

  /**
   * Applies the action to these queues. With one server, it is complete on return, and the first
   * failure is thrown after all queues have been tried; otherwise failures are logged.
   */
  public void each(Collection<QueueName> queues) {
    Map<String, List<QueueName>> byShard = shards.group(queues);
    byShard.forEach(
        (shard, ofShard) -> {
          if (!shard.isEmpty()) {
            lanes.computeIfAbsent(shard, Lane::new).add(ofShard);
          }
        });
    RuntimeException failure = inOrder(byShard.getOrDefault("", List.of())).failure();
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * The result for several queues.
   *
   * @param failure an outage, if there was one, with the others as suppressed exceptions
   * @param left queues to retry when the server is back
   * @param worked whether the server has answered a call
   */
  private record Result(@Nullable RuntimeException failure, List<QueueName> left, boolean worked) {}

  private Result inOrder(Collection<QueueName> queues) {
    RuntimeException first = null;
    List<QueueName> left = new ArrayList<>();
    boolean worked = false;
    for (QueueName queue : healthyFirst(queues)) {
      if (left.size() >= MOST_OUTAGES) {
        left.add(queue);
        continue;
      }
      try {
        worked |= action.test(queue);
        failing.remove(queue);
      } catch (RuntimeException e) {
        failing.add(queue);
        if (e instanceof BrokerUnavailableException) {
          left.add(queue);
        }
        first = together(first, e);
      }
    }
    return new Result(first, left, worked);
  }

  private static RuntimeException together(
      @Nullable RuntimeException before, RuntimeException failure) {
    if (before == null) {
      return failure;
    }
    boolean startsOutage =
        failure instanceof BrokerUnavailableException
            && !(before instanceof BrokerUnavailableException);
    RuntimeException first = startsOutage ? failure : before;
    first.addSuppressed(startsOutage ? before : failure);
    return first;
  }

  private Collection<QueueName> healthyFirst(Collection<QueueName> queues) {
    if (failing.isEmpty()) {
      return queues;
    }
    Set<QueueName> ordered = new LinkedHashSet<>(queues);
    ordered.removeAll(failing);
    ordered.addAll(queues);
    return ordered;
  }

  /** The waiting queues of one server. */
  private final class Lane implements Runnable {
    private final String shard;
    private final Set<QueueName> waiting = new LinkedHashSet<>();
    private boolean running;

    Lane(String shard) {
      this.shard = shard;
    }

    void add(Collection<QueueName> queues) {
      synchronized (this) {
        waiting.addAll(queues);
        if (running || waiting.isEmpty()) {
          return;
        }
        running = true;
      }
      try {
        shards.threads().execute(this);
      } catch (RejectedExecutionException e) {
        // The server has stopped.
        stop();
      } catch (RuntimeException | Error e) {
        // Leases must be extended even if no thread is available.
        SafeLog.error(log, notStarted, e);
        run();
      }
    }

    private synchronized void stop() {
      running = false;
    }

    /** The waiting queues run with the next addition. */
    private void notStarted(Throwable error) {
      stop();
      if (!(error instanceof RejectedExecutionException)) {
        SafeLog.error(log, notContinued, error);
      }
    }

    private synchronized List<QueueName> next() {
      List<QueueName> all = List.copyOf(waiting);
      waiting.clear();
      running = !all.isEmpty();
      return all;
    }

    @Override
    public void run() {
      try {
        for (List<QueueName> queues = next(); !queues.isEmpty(); queues = next()) {
          if (!done(queues)) {
            shards.executeLater(this, rest, this::notStarted);
            return;
          }
        }
      } catch (RuntimeException | Error e) {
        stop();
        SafeLog.error(log, failed, e);
      }
    }

    /** Returns false if the server is unreachable. */
    private boolean done(List<QueueName> queues) {
      Result result = inOrder(queues);
      RuntimeException failure = result.failure();
      if (failure == null) {
        if (result.worked()) {
          shards.outages().worked(shard);
        }
        return true;
      }
      if (!shards.outages().failed(shard, failure)) {
        log.warn("the {} failed; retrying later", what, failure);
        return true;
      }
      synchronized (this) {
        waiting.addAll(result.left());
      }
      return false;
    }
  }
}
