package io.asynq4j.handler;

import io.asynq4j.Task;
import java.util.concurrent.Callable;

/** Wraps around every handler: the first one added is the outermost. Called by many threads. */
@FunctionalInterface
public interface Middleware {

  /** Calls {@code next} for what the handler decides, or decides by itself. */
  Outcome handle(Task task, TaskContext context, Next next) throws Exception;

  /** The next middleware, or the handler. */
  @FunctionalInterface
  interface Next extends Callable<Outcome> {
    @Override
    Outcome call() throws Exception;
  }
}
