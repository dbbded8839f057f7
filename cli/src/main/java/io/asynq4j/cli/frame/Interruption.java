package io.asynq4j.cli.frame;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets long work come to a clean stop when Ctrl-C is pressed. Thread-safe. */
public final class Interruption implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 5;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "asynq-stop");
  private volatile boolean asked;

  private Interruption() {}

  public static Interruption watch() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  private void stop() {
    asked = true;
    try {
      ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether to stop. */
  public boolean isAsked() {
    return asked;
  }

  @Override
  public void close() {
    ended.countDown();
    if (!asked) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process is about to end: there is nothing left to take back.
        asked = true;
      }
    }
  }
}
