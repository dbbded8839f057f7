package io.asynq4j.internal.broker.pubsub;

import java.util.function.Consumer;

/**
 * The channel for cancellations of running tasks and for the commands of {@link ControlMessage}.
 * Best effort: messages are lost without a subscriber.
 */
public interface CancellationChannel {

  void publish(String taskId);

  default void publish(ControlMessage command) {
    publish(command.text());
  }

  /**
   * Calls the listener with each task ID or command, on a separate thread, until closed. Returns
   * when Redis has confirmed the subscription; after a lost connection it subscribes again by
   * itself.
   */
  Subscription subscribe(Consumer<String> listener);

  /** A running subscription. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
