package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.text.SafeLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
public final class LaneExecutor {

  private static final Logger log = LoggerFactory.getLogger(LaneExecutor.class);

  /** How long a lane waits after a failure before the next call. */
  private static final Duration REST = Duration.ofSeconds(1);

  private static final long IDLE_SECONDS = 5;

  /** Pause between two attempts after an error such as a lack of memory. */
  private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

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

  /**
   * The result of a call.
   *
   * @param failure why a part of the call failed; null if everything worked
   */
  record CallResult<T>(T value, @Nullable BrokerException failure) {}

  private record Finished(Lane lane, Runnable handling) {}

  private final StoreWatch watch;
  private final Clock clock;
  private final SchedulerWakeup wakeUp;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          this::thread);
  private final Queue<Finished> finished = new ConcurrentLinkedQueue<>();
  private final Set<Lane> busy = new HashSet<>();
  private final Map<Lane, Instant> restsUntil = new HashMap<>();
  private final Map<Lane, Long> failingSince = new HashMap<>();

  /** Whether the name of a cluster server was seen: that of the default queue may be unknown. */
  private boolean serverSeen;

  private boolean sharded;

  public LaneExecutor(StoreWatch watch, Clock clock, SchedulerWakeup wakeUp) {
    this.watch = watch;
    this.clock = clock;
    this.wakeUp = wakeUp;
  }

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "asynq-scheduler-call");
    thread.setDaemon(true);
    return thread;
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
    return !isSharded() || !(busy.contains(lane) || rests(lane));
  }

  private boolean rests(Lane lane) {
    Instant until = restsUntil.get(lane);
    return until != null && clock.instant().isBefore(until);
  }

  boolean isBusy() {
    return !busy.isEmpty();
  }

  /** Runs a call that succeeds or fails as a whole. */
  <T> boolean run(Lane lane, Supplier<T> call, Consumer<T> then, Consumer<Throwable> failed) {
    return runPartly(lane, () -> new CallResult<>(call.get(), null), then, failed);
  }

  /** Runs a call whose failure needs no handling. */
  boolean run(Lane lane, Runnable call, Runnable then) {
    return run(
        lane,
        () -> {
          call.run();
          return true;
        },
        done -> then.run(),
        failure -> {});
  }

  /**
   * Runs a call of which a part may fail. The handlers run on the scheduler's thread; in a cluster,
   * during a later {@link #collect}.
   *
   * @param then receives the result of the call
   * @param failed receives why the call, or a part of it, failed; usually a {@link BrokerException}
   * @return false if the lane was busy, so the call does not run
   * @throws BrokerException without a cluster: what {@code failed} received
   */
  <T> boolean runPartly(
      Lane lane, Supplier<CallResult<T>> call, Consumer<T> then, Consumer<Throwable> failed) {
    if (!isSharded()) {
      runHere(call, then, failed);
      return true;
    }
    if (!isFree(lane)) {
      return false;
    }
    try {
      threads.execute(() -> runElsewhere(lane, call, then, failed));
    } catch (RuntimeException | Error e) {
      // For example if no thread can be started.
      failed.accept(e);
      throw e;
    }
    busy.add(lane);
    return true;
  }

  private static <T> void runHere(
      Supplier<CallResult<T>> call, Consumer<T> then, Consumer<Throwable> failed) {
    CallResult<T> outcome;
    try {
      outcome = call.get();
    } catch (RuntimeException | Error e) {
      failed.accept(e);
      throw e;
    }
    then.accept(outcome.value());
    if (outcome.failure() != null) {
      failed.accept(outcome.failure());
      throw outcome.failure();
    }
  }

  private <T> void runElsewhere(
      Lane lane, Supplier<CallResult<T>> call, Consumer<T> then, Consumer<Throwable> failed) {
    CallResult<T> outcome = null;
    Throwable failure = null;
    try {
      outcome = call.get();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    while (!isHandedOver(lane, outcome, failure, then, failed)) {
      // Otherwise the lane would stay busy forever.
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Returns false after an error such as a lack of memory. */
  private <T> boolean isHandedOver(
      Lane lane,
      @Nullable CallResult<T> outcome,
      @Nullable Throwable failure,
      Consumer<T> then,
      Consumer<Throwable> failed) {
    try {
      finished.add(new Finished(lane, () -> handle(lane, outcome, failure, then, failed)));
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "the result of a scheduler call could not be queued; retrying", e);
      return false;
    }
    wakeUp.raise();
    return true;
  }

  private <T> void handle(
      Lane lane,
      @Nullable CallResult<T> outcome,
      @Nullable Throwable failure,
      Consumer<T> then,
      Consumer<Throwable> failed) {
    if (outcome != null) {
      then.accept(outcome.value());
      handle(lane, outcome.failure(), failed);
    } else if (failure instanceof BrokerException e) {
      handle(lane, e, failed);
    } else if (failure != null) {
      rest(lane);
      failed.accept(failure);
      throw new IllegalStateException("unexpected failure of a call about " + lane, failure);
    }
  }

  private void handle(Lane lane, @Nullable BrokerException failure, Consumer<Throwable> failed) {
    if (failure == null) {
      worked(lane);
      return;
    }
    rest(lane);
    if (failingSince.putIfAbsent(lane, System.nanoTime()) == null) {
      log.warn(
          "calls about {} fail; the scheduler retries and continues with the rest: {}",
          lane,
          failure.getMessage());
    }
    failed.accept(failure);
  }

  private void worked(Lane lane) {
    restsUntil.remove(lane);
    Long since = failingSince.remove(lane);
    if (since != null) {
      Duration lasted = Duration.ofNanos(System.nanoTime() - since);
      log.info("calls about {} work again after {} s", lane, lasted.toMillis() / 1000.0);
    }
  }

  private void rest(Lane lane) {
    restsUntil.put(lane, clock.instant().plus(REST));
  }

  /** Handles the results of completed calls. Each round starts with it. */
  void collect() {
    sharded |= serverSeen || !watch.shardOf(QueueName.DEFAULT).isEmpty();
    RuntimeException first = null;
    for (Finished next = finished.poll(); next != null; next = finished.poll()) {
      busy.remove(next.lane());
      try {
        next.handling().run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** Handles the results of all calls in flight that end in time and whose lanes do not fail. */
  void finish(Duration limit) {
    finish(limit, EnumSet.allOf(Purpose.class));
  }

  void finish(Duration limit, Collection<Purpose> purposes) {
    long giveUpAt = System.nanoTime() + limit.toNanos();
    try {
      collect();
      while (isWorthWaiting(purposes) && giveUpAt - System.nanoTime() > 0) {
        wakeUp.await(Duration.ofNanos(giveUpAt - System.nanoTime()));
        collect();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("the scheduler stops without waiting for its remaining calls", e);
    }
  }

  private boolean isWorthWaiting(Collection<Purpose> purposes) {
    return busy.stream()
        .anyMatch(lane -> purposes.contains(lane.purpose()) && !failingSince.containsKey(lane));
  }

  /** Starts no more calls. Calls in flight end by themselves. */
  void close() {
    threads.shutdown();
  }
}
