package io.asynq4j.internal.server;

import io.asynq4j.internal.concurrent.ProcessSignal;
import io.asynq4j.server.TaskServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a server until a signal of the operating system, or another thread, stops it. */
public final class ProcessSignalRunner {

  private static final Logger log = LoggerFactory.getLogger(ProcessSignalRunner.class);

  private static final int INTERRUPTED_EXIT = 130;

  private ProcessSignalRunner() {}

  public static void run(TaskServer server) {
    AtomicInteger signals = new AtomicInteger();
    CountDownLatch toStop = new CountDownLatch(1);
    // Started early: when a signal arrives, there may be a lack of threads.
    Thread stopper = new Thread(() -> stopOnSignal(server, toStop), "asynq-stop");
    stopper.setDaemon(true);
    stopper.start();
    Runnable stop =
        () -> {
          if (signals.incrementAndGet() > 1) {
            log.warn("received a second signal; the process exits at once");
            Runtime.getRuntime().halt(INTERRUPTED_EXIT);
          }
          toStop.countDown();
        };
    Runnable restoreTerm = ProcessSignal.on("TERM", stop);
    Runnable restoreInterrupt = ProcessSignal.on("INT", stop);
    Runnable restoreQuiet = ProcessSignal.on("TSTP", server::quiet);
    try {
      server.start();
      if (signals.get() > 0) {
        // The signal arrived before the server ran.
        server.stop();
      }
      server.awaitStop();
    } catch (InterruptedException e) {
      server.stop();
      Thread.currentThread().interrupt();
    } finally {
      stopper.interrupt();
      restoreTerm.run();
      restoreInterrupt.run();
      restoreQuiet.run();
    }
  }

  private static void stopOnSignal(TaskServer server, CountDownLatch signal) {
    try {
      signal.await();
    } catch (InterruptedException e) {
      // The server was stopped without a signal.
      return;
    }
    server.stop();
  }
}
