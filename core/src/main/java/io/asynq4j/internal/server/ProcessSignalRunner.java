package io.asynq4j.internal.server;

import io.asynq4j.server.TaskServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals that a server obeys while it is run. The JDK's class for them is not part of its
 * official interface, so it is reached by reflection; where it is missing, no signal is obeyed.
 */
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
    Installed term = Installed.on("TERM", stop);
    Installed interrupt = Installed.on("INT", stop);
    Installed quiet = Installed.on("TSTP", server::quiet);
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

  /**
   * A handler in the place of another.
   *
   * @param before null = nothing was installed
   */
  private record Installed(String name, @Nullable Object before) {

    static Installed on(String name, Runnable action) {
      try {
        Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
        Object handler =
            Proxy.newProxyInstance(
                ProcessSignalRunner.class.getClassLoader(),
                new Class<?>[] {handlerType},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("handle")) {
                    action.run();
                  }
                  return null;
                });
        return new Installed(name, handle(name, handler));
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        // Windows has no TSTP, and a JVM started with -Xrs gives none away.
        log.debug("the signal {} cannot be handled here", name, e);
        return new Installed(name, null);
      }
    }

    private static @Nullable Object handle(String name, Object handler)
        throws ReflectiveOperationException {
      Class<?> signalType = Class.forName("sun.misc.Signal");
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      try {
        Object signal = signalType.getConstructor(String.class).newInstance(name);
        return signalType
            .getMethod("handle", signalType, handlerType)
            .invoke(null, signal, handler);
      } catch (InvocationTargetException e) {
        throw new IllegalArgumentException(e.getCause());
      }
    }

    void undo() {
      if (before != null) {
        try {
          handle(name, before);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
          log.debug("the signal {} keeps its handler", name, e);
        }
      }
    }
  }
}
