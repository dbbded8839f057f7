package io.asynq4j.internal.broker.pubsub;

import java.util.function.Consumer;

/**
 * The channel on which servers are told to cancel a running task, and ours what else an {@link
 * ControlMessage} says. Best effort: who does not listen hears nothing.
 */
public interface CancellationChannel {

  void publish(String taskId);

  default void publish(ControlMessage order) {
    publish(order.text());
  }

  /**
   * Calls the listener with each id or order, on a thread of its own, until closed. Returns when
   * Redis has confirmed the subscription; after a lost connection it subscribes again by itself.
   */
  Subscription subscribe(Consumer<String> listener);

  /** A running subscription. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
