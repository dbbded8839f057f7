package io.asynq4j.internal.server.duty;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Periodically reports to the user's listener whether Redis answers. */
public final class HealthCheck implements Duty {

  private static final Logger log = LoggerFactory.getLogger(HealthCheck.class);

  private final Duration interval;
  private final Runnable ping;
  private final Consumer<@Nullable Throwable> listener;

  public HealthCheck(Duration interval, Runnable ping, Consumer<@Nullable Throwable> listener) {
    this.interval = interval;
    this.ping = ping;
    this.listener = listener;
  }

  @Override
  public String name() {
    return "health check";
  }

  @Override
  public Duration interval() {
    return interval;
  }

  @Override
  public Duration run() {
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
    return interval;
  }
}
