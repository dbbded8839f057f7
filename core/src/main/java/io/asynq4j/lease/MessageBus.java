package io.asynq4j.lease;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Sends messages between processes that work on the same tasks, by agreed names. Messages are not
 * stored: one without a listener is lost. Thread-safe.
 */
public final class MessageBus implements AutoCloseable {

  private final Broker broker;
  private final Subscription subscription;

  private MessageBus(Broker broker, Subscription subscription) {
    this.broker = broker;
    this.subscription = subscription;
  }

  /**
   * Starts to listen, again after each lost connection. If the Redis user must not subscribe, a
   * warning is logged and no message arrives.
   *
   * @param names the names of this process, at least one
   * @param listener called with each message to one of the names, in the order in which they were
   *     sent to it, on a thread that it must not block
   */
  public static MessageBus open(
      RedisConnection redis, List<String> names, Consumer<byte[]> listener) {
    Broker broker = BrokerConnection.brokerOf(redis);
    return new MessageBus(broker, broker.pubSub().subscribe(names, listener));
  }

  /** Sends a message to all processes with this name. */
  public void send(String name, byte[] message) {
    broker.pubSub().publish(name, message);
  }

  @Override
  public void close() {
    subscription.close();
  }
}
