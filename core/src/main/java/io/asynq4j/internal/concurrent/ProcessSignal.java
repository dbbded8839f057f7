package io.asynq4j.internal.concurrent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An installed handler of an operating system signal. The signal class of the JDK is not part of
 * its official API, so it is called by reflection; if it is missing, no signal is handled.
 * Immutable.
 */
public final class ProcessSignal {

  private static final Logger log = LoggerFactory.getLogger(ProcessSignal.class);

  private final String name;
  private final @Nullable Object before;

  /**
   * @param before the previous handler; null if nothing was installed
   */
  private ProcessSignal(String name, @Nullable Object before) {
    this.name = name;
    this.before = before;
  }

  /**
   * Installs an action for a signal.
   *
   * @param name without its prefix, such as {@code TERM}
   */
  public static ProcessSignal on(String name, Runnable action) {
    try {
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              ProcessSignal.class.getClassLoader(),
              new Class<?>[] {handlerType},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      return new ProcessSignal(name, handle(name, handler));
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      // Windows has no TSTP, and a JVM with -Xrs does not allow handlers.
      log.debug("signal {} cannot be handled on this system", name, e);
      return new ProcessSignal(name, null);
    }
  }

  private static @Nullable Object handle(String name, Object handler)
      throws ReflectiveOperationException {
    Class<?> signalType = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    try {
      Object signal = signalType.getConstructor(String.class).newInstance(name);
      return signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(e.getCause());
    }
  }

  /** Restores the previous handler. */
  public void undo() {
    if (before != null) {
      try {
        handle(name, before);
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        log.debug("could not restore the previous handler of signal {}", name, e);
      }
    }
  }
}
