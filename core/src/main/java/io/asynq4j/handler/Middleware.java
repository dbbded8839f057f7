package io.asynq4j.handler;

import io.asynq4j.Task;
import java.util.concurrent.Callable;

/**
 * Code around every handler of a {@link Mux}. The first one added is the outermost. Must be
 * thread-safe.
 *
 * <pre>{@code
 * Middleware timing =
 *     (task, context, next) -> {
 *       try (Timer timer = Timer.start(task.type())) {
 *         return next.call();
 *       }
 *     };
 * }</pre>
 */
@FunctionalInterface
public interface Middleware {

  /** Returns the outcome of {@code next}, or another one. */
  Outcome handle(Task task, TaskContext context, Next next) throws Exception;

  /** The next middleware, or the handler. For the thread of the current attempt only. */
  @FunctionalInterface
  interface Next extends Callable<Outcome> {}
}
