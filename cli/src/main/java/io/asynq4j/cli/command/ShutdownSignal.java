package io.asynq4j.cli.command;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lets long work come to a clean stop when Ctrl-C is pressed. Thread-safe. */
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

  /** Whether to stop. */
  public boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Waits until it is to stop, or for so long; without end when it is null. */
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
        // The process is about to end: there is nothing left to take back.
        asked.countDown();
      }
    }
  }
}
