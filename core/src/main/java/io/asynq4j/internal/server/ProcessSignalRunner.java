package io.asynq4j.internal.server;

import io.asynq4j.internal.concurrent.ProcessSignal;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a server until it is stopped, and has it obey the signals of the process meanwhile. */
public final class ProcessSignalRunner {

  private static final Logger log = LoggerFactory.getLogger(ProcessSignalRunner.class);

  private static final int INTERRUPTED_EXIT = 130;

  private ProcessSignalRunner() {}

  public static void run(TaskServer server) {
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch toStop = new CountDownLatch(1);
    // Started before it is needed: there may be no more threads then.
    Thread stopper = new Thread(() -> stopWhenAsked(server, toStop), "asynq-stop");
    stopper.setDaemon(true);
    stopper.start();
    Runnable stop =
        () -> {
          if (asked.incrementAndGet() > 1) {
            log.warn("asked to end a second time: ending at once");
            Runtime.getRuntime().halt(INTERRUPTED_EXIT);
          }
          toStop.countDown();
        };
    ProcessSignal term = ProcessSignal.on("TERM", stop);
    ProcessSignal interrupt = ProcessSignal.on("INT", stop);
    ProcessSignal quiet = ProcessSignal.on("TSTP", server::quiet);
    try {
      server.start();
      if (asked.get() > 0) {
        // The signal came before there was anything to stop.
        server.stop();
      }
      boolean stopped;
      do {
        stopped = server.awaitStop(Duration.ofDays(1));
      } while (!stopped);
    } catch (InterruptedException e) {
      server.stop();
      Thread.currentThread().interrupt();
    } finally {
      stopper.interrupt();
      term.undo();
      interrupt.undo();
      quiet.undo();
    }
  }

  private static void stopWhenAsked(TaskServer server, CountDownLatch asked) {
    try {
      asked.await();
    } catch (InterruptedException e) {
      // It has been stopped otherwise.
      return;
    }
    server.stop();
  }
}
