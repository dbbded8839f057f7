package io.asynq4j.service;

import io.asynq4j.http.ProcessSignals;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that is a replica of the task service and nothing else: it ends in order on TERM and
 * INT, at once when asked a second time, and reads its file again on HUP.
 */
public final class ServiceProcess {

  private static final Logger log = LoggerFactory.getLogger(ServiceProcess.class);

  private static final int INTERRUPTED = 130;

  private ServiceProcess() {}

  /**
   * Runs a replica until the process is told to end. Throws {@link ConfigurationException} when the
   * file is wrong.
   *
   * @param environment the variables that the file may use
   * @param started is told when the replica answers requests
   */
  public static void run(Path file, Map<String, String> environment, Consumer<TaskService> started)
      throws InterruptedException {
    ServiceConfig config = ServiceConfig.load(file, environment);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    Runnable stop =
        () -> {
          if (asked.incrementAndGet() > 1) {
            log.warn("asked to end a second time: ending at once");
            Runtime.getRuntime().halt(INTERRUPTED);
          }
          end.countDown();
        };
    ProcessSignals.on("TERM", stop);
    ProcessSignals.on("INT", stop);
    try (TaskService service =
        TaskService.builder(config).reader(() -> ServiceConfig.load(file, environment)).start()) {
      ProcessSignals.on("HUP", () -> reload(service));
      started.accept(service);
      end.await();
      log.info("ending: what runs is waited for");
    }
  }

  private static void reload(TaskService service) {
    try {
      service.reload();
    } catch (RuntimeException e) {
      log.error("the configuration stays as it was: {}", e.getMessage());
    }
  }
}
