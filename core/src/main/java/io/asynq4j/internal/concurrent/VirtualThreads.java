package io.asynq4j.internal.concurrent;

import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/** Access to virtual threads, if this JVM has them. */
public final class VirtualThreads {

  private VirtualThreads() {}

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
