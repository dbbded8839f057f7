package io.asynq4j.service.definition;

import io.asynq4j.internal.text.SafeLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the task definitions again, once per run. Never throws, because a timer would not run it
 * again.
 */
public final class DefinitionRefresher implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(DefinitionRefresher.class);

  private static final String NOT_READ =
      SafeLog.text("the task definitions could not be read; retrying");

  private final Runnable refresh;

  public DefinitionRefresher(Runnable refresh) {
    this.refresh = refresh;
  }

  @Override
  public void run() {
    try {
      refresh.run();
    } catch (RuntimeException e) {
      log.warn("the task definitions could not be read; retrying: {}", e.getMessage());
    } catch (Error e) {
      SafeLog.error(log, NOT_READ, e);
    }
  }
}
