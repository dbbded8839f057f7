package io.asynq4j.service;

import io.asynq4j.internal.concurrent.ProcessSignal;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that runs one replica of the task service: shuts down gracefully on TERM and INT, exits
 * immediately on the second of these signals, and reloads its file on HUP.
 */
public final class ServiceProcess {

  private static final Logger log = LoggerFactory.getLogger(ServiceProcess.class);

  private static final int INTERRUPTED = 130;

  private ServiceProcess() {}

  /**
   * Runs a replica until the process receives TERM or INT. Throws {@link ConfigurationException} if
   * the file is invalid.
   *
   * @param environment the variables that the file may use
   * @param started called when the replica serves requests
   */
  public static void run(Path file, Map<String, String> environment, Consumer<TaskService> started)
      throws InterruptedException {
    ServiceConfig config = ServiceConfig.load(file, environment);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    Runnable stop =
        () -> {
          if (asked.incrementAndGet() > 1) {
            log.warn("second signal to stop: exiting immediately");
            Runtime.getRuntime().halt(INTERRUPTED);
          }
          end.countDown();
        };
    ProcessSignal.on("TERM", stop);
    ProcessSignal.on("INT", stop);
    try (TaskService service =
        TaskService.builder(config).reader(() -> ServiceConfig.load(file, environment)).start()) {
      ProcessSignal.on("HUP", () -> reload(service));
      started.accept(service);
      end.await();
      log.info("shutting down: waiting for running tasks");
    }
  }

  private static void reload(TaskService service) {
    try {
      service.reload();
    } catch (RuntimeException e) {
      log.error(
          "the configuration could not be reloaded; the previous one stays in use: {}",
          e.getMessage());
    }
  }
}
