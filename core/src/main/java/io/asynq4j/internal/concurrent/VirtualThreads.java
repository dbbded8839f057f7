package io.asynq4j.internal.concurrent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Access to virtual threads, if this JVM has them. */
public final class VirtualThreads {

  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualMethod();

  private VirtualThreads() {}

  /**
   * Returns whether the calling thread is virtual. Interrupting a virtual thread closes the socket
   * on which it waits; interrupting a platform thread does not.
   */
  public static boolean isCurrentVirtual() {
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

  /**
   * Returns a factory for threads that inherit nothing from the starting thread; empty before Java
   * 21.
   */
  public static Optional<ThreadFactory> factory() {
    try {
      Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
      return Optional.of((ThreadFactory) type.getMethod("factory").invoke(builder));
    } catch (ClassNotFoundException | NoSuchMethodException | InvocationTargetException e) {
      // Java 19 and 20 have virtual threads as a preview only.
      return Optional.empty();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot create virtual threads", e);
    }
  }
}
