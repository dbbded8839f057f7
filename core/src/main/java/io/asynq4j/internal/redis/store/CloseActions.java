package io.asynq4j.internal.redis.store;

import io.asynq4j.internal.broker.Broker.Registration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Actions that run once before a connection is closed. Thread-safe. */
final class CloseActions {

  private static final Logger log = LoggerFactory.getLogger(CloseActions.class);

  /** Compared by identity: the same action may be registered twice. */
  private static final class Action {
    private final Runnable body;

    Action(Runnable body) {
      this.body = body;
    }
  }

  private final List<Action> actions = new CopyOnWriteArrayList<>();
  private boolean closing;

  Registration add(Runnable body) {
    Action own = new Action(body);
    synchronized (this) {
      if (closing) {
        throw new IllegalStateException("the Redis connection is closed; open a new one");
      }
      actions.add(own);
    }
    return () -> actions.remove(own);
  }

  /** Runs the registered actions; later registrations are refused. */
  void run() {
    synchronized (this) {
      closing = true;
    }
    for (Action each : List.copyOf(actions)) {
      if (actions.remove(each)) {
        try {
          each.body.run();
        } catch (RuntimeException | Error e) {
          log.error(
              "a component that uses the Redis connection failed to stop before the connection closes",
              e);
        }
      }
    }
  }
}
