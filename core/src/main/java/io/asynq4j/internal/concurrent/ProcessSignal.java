package io.asynq4j.internal.concurrent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handlers of operating system signals. The signal class of the JDK is not part of its official
 * API, so it is called by reflection; if it is missing, no signal is handled.
 */
public final class ProcessSignal {

  private static final Logger log = LoggerFactory.getLogger(ProcessSignal.class);

  private ProcessSignal() {}

  /**
   * Installs an action for a signal. Returns how to restore the previous handler.
   *
   * @param name without its prefix, such as {@code TERM}
   */
  public static Runnable on(String name, Runnable action) {
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
      Object before = handle(name, handler);
      return () -> restore(name, before);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      // Windows has no TSTP, and a JVM with -Xrs does not allow handlers.
      log.debug("signal {} cannot be handled on this system", name, e);
      return () -> {};
    }
  }

  /** Returns the previous handler. */
  private static Object handle(String name, Object handler) throws ReflectiveOperationException {
    Class<?> signalType = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    try {
      Object signal = signalType.getConstructor(String.class).newInstance(name);
      return signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(e.getCause());
    }
  }

  private static void restore(String name, Object before) {
    try {
      handle(name, before);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      log.debug("could not restore the previous handler of signal {}", name, e);
    }
  }
}
