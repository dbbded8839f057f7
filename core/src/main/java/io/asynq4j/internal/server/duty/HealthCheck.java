package io.asynq4j.internal.server.duty;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the user's listener whether Redis answers.
 *
 * @param ping calls Redis
 * @param listener receives null, or the failure
 */
public record HealthCheck(Runnable ping, Consumer<@Nullable Throwable> listener)
    implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(HealthCheck.class);

  @Override
  public void run() {
    RuntimeException failure = null;
    try {
      ping.run();
    } catch (RuntimeException e) {
      failure = e;
    }
    try {
      listener.accept(failure);
    } catch (RuntimeException | Error e) {
      log.error("the health check listener failed; the health check continues", e);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
