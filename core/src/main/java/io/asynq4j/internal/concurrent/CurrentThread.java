package io.asynq4j.internal.concurrent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Properties of the calling thread. */
public final class CurrentThread {

  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualMethod();

  private CurrentThread() {}

  /**
   * Returns whether this thread is virtual. Interrupting a virtual thread closes the socket on
   * which it waits; interrupting a platform thread does not.
   */
  public static boolean isVirtual() {
    MethodHandle isVirtual = IS_VIRTUAL;
    if (isVirtual == null) {
      return false;
    }
    try {
      return (boolean) isVirtual.invokeExact(Thread.currentThread());
    } catch (Throwable e) {
      throw new IllegalStateException("could not determine whether this thread is virtual", e);
    }
  }

  /** Null before Java 19. */
  private static @Nullable MethodHandle isVirtualMethod() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return null;
    }
  }
}
