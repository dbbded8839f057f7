package io.asynq4j.dashboard.internal.live;

import io.asynq4j.BrokerUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one part of a Redis Cluster repeatedly on another thread. The caller waits only while
 * results arrive. After a node did not respond, the caller does not wait for it until it responds
 * again. Results that arrive late are returned by the next {@link #take}. Used by one thread.
 *
 * @param <T> one result; a read may have several
 */
final class BackgroundReader<T> {

  private static final Logger log = LoggerFactory.getLogger(BackgroundReader.class);

  /** Time that the caller waits for the next result. */
  static final Duration MAX_WAIT = Duration.ofMillis(500);

  private final String what;
  private final Executor threads;
  private final Queue<T> results = new ConcurrentLinkedQueue<>();
  private CompletableFuture<Void> read = CompletableFuture.completedFuture(null);
  private volatile long progressNanos;
  private boolean isSilent;

  /**
   * @param what name of the values, for the log
   */
  BackgroundReader(String what, Executor threads) {
    this.what = what;
    this.threads = threads;
  }

  /**
   * Starts a read, unless the previous one is still running.
   *
   * @param reader passes each result to the given consumer
   */
  void start(Consumer<Consumer<T>> reader) {
    if (!read.isDone()) {
      return;
    }
    if (!read.isCompletedExceptionally()) {
      setSilent(false);
    }
    progressNanos = System.nanoTime();
    read = CompletableFuture.runAsync(() -> reader.accept(this::add), threads);
  }

  private void add(T result) {
    results.add(result);
    progressNanos = System.nanoTime();
  }

  /**
   * Returns the results since the last call; incomplete while a node does not respond.
   *
   * @throws RuntimeException if the read failed for another reason
   */
  List<T> take() {
    boolean hasEnded = hasEnded();
    Throwable failure = hasEnded ? failure() : null;
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException e && !(e instanceof BrokerUnavailableException)) {
      throw e;
    }
    setSilent(!hasEnded || failure != null);
    List<T> taken = new ArrayList<>();
    for (T result = results.poll(); result != null; result = results.poll()) {
      taken.add(result);
    }
    return taken;
  }

  /** Waits for the end of the read as long as results arrive. */
  private boolean hasEnded() {
    long left = nanosToWait();
    while (left > 0 && !read.isDone()) {
      try {
        read.get(left, TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        left = nanosToWait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        left = 0;
      } catch (ExecutionException e) {
        // failure() returns it.
      }
    }
    return read.isDone();
  }

  private long nanosToWait() {
    return isSilent ? 0 : progressNanos + MAX_WAIT.toNanos() - System.nanoTime();
  }

  private @Nullable Throwable failure() {
    try {
      read.join();
      return null;
    } catch (CompletionException e) {
      return e.getCause();
    }
  }

  private void setSilent(boolean silent) {
    if (silent != isSilent) {
      isSilent = silent;
      if (silent) {
        log.warn(
            "dashboard: {} cannot be read because a Redis server does not respond; pages show earlier values",
            what);
      } else {
        log.info("dashboard: {} can be read again", what);
      }
    }
  }
}
