package io.asynq4j.internal.broker.pubsub;

import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import java.util.List;
import java.util.function.Consumer;

/**
 * What processes tell each other beside the tasks, by names that they agree on. Nothing is kept:
 * who does not listen hears nothing. Thread-safe.
 */
public interface PubSub {

  /** Whoever listens to this name is told. */
  void publish(String name, byte[] message);

  /**
   * Calls the listener with each message for one of these names, in the order in which they were
   * published for it, on a thread of its own, until closed. Returns when Redis has confirmed it;
   * after a lost connection it subscribes again by itself.
   */
  Subscription subscribe(List<String> names, Consumer<byte[]> listener);
}
