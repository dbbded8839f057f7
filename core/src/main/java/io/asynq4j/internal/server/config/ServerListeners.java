package io.asynq4j.internal.server.config;

import io.asynq4j.server.ServerListener;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of a server. */
public record ServerListeners(List<ServerListener> all) {

  private static final Logger log = LoggerFactory.getLogger(ServerListeners.class);

  public ServerListeners {
    all = List.copyOf(all);
  }

  /** Notifies all listeners. An exception of one is logged and affects nothing else. */
  public void publish(Consumer<ServerListener> event) {
    for (ServerListener listener : all) {
      try {
        event.accept(listener);
      } catch (Throwable e) {
        // Also errors: the attempt must be settled in any case.
        log.error("listener {} failed; the server continues", listener.getClass().getName(), e);
      }
    }
  }
}
