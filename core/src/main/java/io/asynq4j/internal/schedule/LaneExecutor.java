package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.text.SafeLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the scheduler's calls to Redis so that an unresponsive server of a cluster delays only the
 * calls that need it. In a cluster each lane has at most one call in flight, on a separate thread,
 * and {@link #collect} handles the results on the scheduler's thread. With one server for all keys,
 * calls run on the scheduler's thread and no other thread exists. Used by the scheduler's thread
 * only.
 */
final class LaneExecutor {

  private static final Logger log = LoggerFactory.getLogger(LaneExecutor.class);

  private static final String NOT_HANDLED =
      SafeLog.text("the result of a scheduler call was not handled");

  /** How long a lane waits after a failure before the next call. */
  private static final Duration REST = Duration.ofSeconds(1);

  /** The purpose of calls. Calls that may need different servers never share a lane. */
  enum Purpose {
    ENTRIES("schedule entries"),
    NEW_ENTRIES("new schedule entries"),
    REMOVED_ENTRIES("removed schedule entries"),
    ENTRY_LIST("the list of schedule entries"),
    LEADERSHIP("the leader of the schedulers"),
    PRESENCE("the entries that inspectors see"),
    HISTORY("the history of schedule entries"),
    CLOCK("the clock");

    private final String text;

    Purpose(String text) {
      this.text = text;
    }
  }

  /**
   * Calls that run in sequence.
   *
   * @param server the Redis server, if all calls of the lane need the same one; otherwise empty
   */
  record Lane(Purpose purpose, String server) {
    @Override
    public String toString() {
      return server.isEmpty() ? purpose.text : purpose.text + " on " + server;
    }
  }

  private final StoreWatch watch;
  private final Clock clock;
  private final WakeupSignal wakeUp;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(DaemonThreadPools.factory("asynq-scheduler-call"));

  /** The calls in flight, and those whose results are not handled yet. */
  final Map<Lane, Call> calls = new LinkedHashMap<>();

  private final Map<Lane, Instant> restsUntil = new HashMap<>();
  private final Map<Lane, Long> failingSince = new HashMap<>();

  /** Whether the name of a cluster server was seen: that of the default queue may be unknown. */
  private boolean serverSeen;

  private boolean sharded;

  LaneExecutor(StoreWatch watch, Clock clock, WakeupSignal wakeUp) {
    this.watch = watch;
    this.clock = clock;
    this.wakeUp = wakeUp;
  }

  /** Returns the lane for calls about one queue. */
  Lane of(Purpose purpose, QueueName queue) {
    return of(purpose, watch.shardOf(queue));
  }

  Lane of(Purpose purpose, String server) {
    serverSeen |= !server.isEmpty();
    return new Lane(purpose, server);
  }

  /** Returns the lane for calls about keys that belong to no queue. */
  Lane of(Purpose purpose) {
    return new Lane(purpose, "");
  }

  /**
   * Returns whether calls run on other threads. Changes only in {@link #collect}, and only to true.
   */
  boolean isSharded() {
    return sharded;
  }

  boolean isFree(Lane lane) {
    return !calls.containsKey(lane)
        && !clock.instant().isBefore(restsUntil.getOrDefault(lane, Instant.MIN));
  }

  /** Makes a call that has a result. */
  <T> boolean run(Lane lane, Supplier<T> call, Consumer<T> then, Consumer<Throwable> failed) {
    AtomicReference<T> result = new AtomicReference<>();
    return run(lane, () -> result.set(call.get()), () -> then.accept(result.get()), failed);
  }

  /**
   * Makes a call. The handlers run on the scheduler's thread; in a cluster, during a later {@link
   * #collect}.
   *
   * @param call runs on any thread
   * @param then runs after the call, unless it failed
   * @param failed receives why the call failed; usually a {@link BrokerException}
   * @return false if the lane was busy, so the call is not made
   * @throws BrokerException without a cluster: what {@code failed} received
   */
  boolean run(Lane lane, Runnable call, Runnable then, Consumer<Throwable> failed) {
    if (!isFree(lane)) {
      return false;
    }
    Call pending = new Call(lane, call, then, failed);
    if (!sharded) {
      pending.make();
      pending.handle();
      return true;
    }
    try {
      calls.put(lane, pending);
      threads.execute(pending);
    } catch (RuntimeException | Error e) {
      // For example a lack of memory or threads.
      calls.remove(lane);
      failed.accept(e);
      throw e;
    }
    return true;
  }

  /** A call and its result. */
  private final class Call implements Runnable {
    private final Lane lane;
    private final Runnable call;
    private final Runnable then;
    private final Consumer<Throwable> failed;
    private @Nullable Throwable failure;

    /** Publishes the results of the call. */
    private volatile boolean done;

    Call(Lane lane, Runnable call, Runnable then, Consumer<Throwable> failed) {
      this.lane = lane;
      this.call = call;
      this.then = then;
      this.failed = failed;
    }

    void make() {
      try {
        call.run();
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }

    /** Allocates nothing after the call: without its result, the lane would stay busy forever. */
    @Override
    public void run() {
      make();
      done = true;
      wakeUp.raise();
    }

    void handle() {
      Throwable cause = failure;
      if (cause == null) {
        worked(lane);
        then.run();
        return;
      }
      failed(lane, cause);
      failed.accept(cause);
      if (!(cause instanceof BrokerException e)) {
        throw new IllegalStateException("unexpected failure of a call about " + lane, cause);
      }
      if (!sharded) {
        throw e;
      }
    }
  }

  private void worked(Lane lane) {
    restsUntil.remove(lane);
    Long since = failingSince.remove(lane);
    if (since != null) {
      Duration lasted = Duration.ofNanos(System.nanoTime() - since);
      log.info("calls about {} work again after {} s", lane, lasted.toMillis() / 1000.0);
    }
  }

  private void failed(Lane lane, Throwable cause) {
    if (sharded) {
      restsUntil.put(lane, clock.instant().plus(REST));
    }
    if (failingSince.putIfAbsent(lane, System.nanoTime()) == null) {
      log.warn("calls about {} fail; the scheduler retries them: {}", lane, cause.getMessage());
    }
  }

  /** Handles the results of completed calls. Each round starts with it. */
  void collect() {
    sharded |= serverSeen || !watch.shardOf(QueueName.DEFAULT).isEmpty();
    for (Call call : calls.values().stream().filter(each -> each.done).toList()) {
      calls.remove(call.lane);
      try {
        call.handle();
      } catch (RuntimeException e) {
        SafeLog.error(log, NOT_HANDLED, e);
      }
    }
  }

  /** Handles the results of calls in flight that end in time and whose lanes do not fail. */
  void finish(Duration limit, Collection<Purpose> purposes) {
    long giveUpAt = System.nanoTime() + limit.toNanos();
    collect();
    while (giveUpAt - System.nanoTime() > 0
        && calls.keySet().stream()
            .anyMatch(
                lane -> purposes.contains(lane.purpose()) && !failingSince.containsKey(lane))) {
      wakeUp.await(giveUpAt - System.nanoTime());
      collect();
    }
  }

  /** Starts no more calls. Calls in flight end by themselves. */
  void close() {
    threads.shutdown();
  }
}
