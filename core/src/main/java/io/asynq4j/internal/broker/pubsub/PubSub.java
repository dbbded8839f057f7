package io.asynq4j.internal.broker.pubsub;

import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import java.util.List;
import java.util.function.Consumer;

/**
 * Messages between processes by agreed channel names. Not stored: messages are lost without a
 * subscriber. Thread-safe.
 */
public interface PubSub {

  /** Sends a message to all subscribers of this name. */
  void publish(String name, byte[] message);

  /**
   * Calls the listener with each message for one of these names, in publication order per name, on
   * a separate thread, until closed. Returns when Redis has confirmed the subscription; after a
   * lost connection it subscribes again by itself.
   */
  Subscription subscribe(List<String> names, Consumer<byte[]> listener);
}
