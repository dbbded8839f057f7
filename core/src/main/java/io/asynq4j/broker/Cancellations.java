package io.asynq4j.broker;

import java.util.function.Consumer;

/**
 * The channel on which servers are told to cancel a running task. Best effort: who does not listen
 * hears nothing.
 */
public interface Cancellations {

  void publish(String taskId);

  /**
   * Calls the listener with each id, on a thread of its own, until closed. Returns when Redis has
   * confirmed the subscription; after a lost connection it subscribes again by itself.
   */
  Subscription subscribe(Consumer<String> listener);

  /** A running subscription. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
