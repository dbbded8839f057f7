package io.asynq4j.spring.internal;

import io.asynq4j.Task;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs code with the class loader of the application context as that of the thread, such as the one
 * with which Spring Boot's devtools reload classes. Thread-safe.
 */
record ContextClassLoader(@Nullable ClassLoader loader) implements Middleware {

  /** Handlers and codecs; threads of an executor of the application may have another loader. */
  @Override
  public Outcome handle(Task task, TaskContext context, Next next) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    if (before == loader) {
      return next.call();
    }
    thread.setContextClassLoader(loader);
    try {
      return next.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Threads that are created meanwhile, and by these threads, inherit the class loader. */
  void run(Runnable action) {
    call(
        () -> {
          action.run();
          return this;
        });
  }

  /** The same, with a result. */
  <T> T call(Supplier<T> action) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return action.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
