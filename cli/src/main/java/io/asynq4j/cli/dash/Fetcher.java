package io.asynq4j.cli.dash;

import io.asynq4j.cli.dash.data.FetchResult;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryRunner;
import io.asynq4j.cli.dash.model.DashEvent;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs queries on its own thread: at once when the query changes, then at intervals. At most one
 * query runs at a time, however slow Redis is. Thread-safe.
 */
final class Fetcher implements AutoCloseable {

  private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);

  private final QueryRunner lookup;
  private final Duration interval;
  private final Consumer<DashEvent> listener;
  private volatile Query wish;
  private final AtomicBoolean isForgetting = new AtomicBoolean();
  private final Semaphore changes = new Semaphore(0);
  private final Thread thread;
  private volatile boolean isClosed;

  Fetcher(QueryRunner lookup, Duration interval, Query first, Consumer<DashEvent> listener) {
    this.lookup = lookup;
    this.interval = interval;
    this.listener = listener;
    this.wish = first;
    this.thread = new Thread(this::run, "asynq-dash-fetcher");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Sets the query. Call it from one thread. */
  void want(Query newWish) {
    if (!newWish.equals(wish)) {
      wish = newWish;
      changes.release();
    }
  }

  /** Repeats the query at once, without cached values. */
  void again() {
    isForgetting.set(true);
    changes.release();
  }

  private void run() {
    try {
      while (!isClosed) {
        boolean isWell = look();
        Duration pause =
            isWell || interval.compareTo(AFTER_A_FAILURE) < 0 ? interval : AFTER_A_FAILURE;
        if (changes.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          changes.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      // Closed.
      Thread.currentThread().interrupt();
    }
  }

  private boolean look() {
    Query wanted = wish;
    try {
      if (isForgetting.getAndSet(false)) {
        lookup.forget();
      }
      FetchResult batch = lookup.look(wanted, () -> isClosed || !wanted.equals(wish));
      listener.accept(new DashEvent.Found(batch));
      return true;
    } catch (RuntimeException | Error e) {
      // Any failure is shown, and the query is repeated.
      listener.accept(new DashEvent.NotFound(problem(e)));
      return false;
    }
  }

  static String problem(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
  }
}
