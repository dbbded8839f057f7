package io.asynq4j.cli.command;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lets a long operation stop cleanly on Ctrl-C. Thread-safe. */
public final class ShutdownSignal implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 5;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "asynq-stop");
  private final CountDownLatch asked = new CountDownLatch(1);

  private ShutdownSignal() {}

  public static ShutdownSignal watch() {
    ShutdownSignal interruption = new ShutdownSignal();
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  private void stop() {
    asked.countDown();
    try {
      ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a stop was requested. */
  public boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Waits until a stop is requested or the time is over; without limit if the time is null. */
  public void await(@Nullable Duration longest) throws InterruptedException {
    if (longest == null) {
      asked.await();
    } else {
      asked.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    ended.countDown();
    if (!isAsked()) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The JVM is already shutting down and refuses to remove hooks.
        asked.countDown();
      }
    }
  }
}
