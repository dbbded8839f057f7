package io.asynq4j.server;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Virtual threads, where this JVM has them. */
final class VirtualThreads {

  private static final @Nullable MethodHandle NEW_EXECUTOR = find();

  private VirtualThreads() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findStatic(
              Executors.class,
              "newVirtualThreadPerTaskExecutor",
              MethodType.methodType(ExecutorService.class));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return null;
    }
  }

  /** A virtual thread for each task; empty before Java 21. */
  static Optional<ExecutorService> executor() {
    if (NEW_EXECUTOR == null) {
      return Optional.empty();
    }
    try {
      return Optional.of((ExecutorService) NEW_EXECUTOR.invokeExact());
    } catch (UnsupportedOperationException e) {
      // Java 19 and 20 have them only as a preview.
      return Optional.empty();
    } catch (Throwable e) {
      throw new IllegalStateException("cannot create virtual threads", e);
    }
  }
}
