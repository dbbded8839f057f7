package io.asynq4j.internal.concurrent;

import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/** Virtual threads, where this JVM has them. */
public final class VirtualThreads {

  private VirtualThreads() {}

  /** Makes threads that inherit nothing from whoever starts them; empty before Java 21. */
  public static Optional<ThreadFactory> factory() {
    try {
      Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
      return Optional.of((ThreadFactory) type.getMethod("factory").invoke(builder));
    } catch (ClassNotFoundException | NoSuchMethodException | InvocationTargetException e) {
      // Java 19 and 20 have them only as a preview.
      return Optional.empty();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot create virtual threads", e);
    }
  }
}
