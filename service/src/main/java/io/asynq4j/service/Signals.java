package io.asynq4j.service;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals of the system. The JDK's class for them is not part of its official interface, so it is
 * reached by reflection; where it is missing, no signal is obeyed.
 */
final class Signals {

  private static final Logger log = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  static void on(String name, Runnable action) {
    try {
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      Class<?> signalType = Class.forName("sun.misc.Signal");
      Object handler =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handlerType},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Object signal = signalType.getConstructor(String.class).newInstance(name);
      signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      log.debug("the signal {} cannot be handled here", name, e);
    }
  }
}
