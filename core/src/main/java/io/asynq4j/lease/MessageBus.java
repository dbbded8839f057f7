package io.asynq4j.lease;

import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Passes messages between processes that work on the same tasks, by names that they agree on: what
 * a worker says while its task runs, to whoever waits for it elsewhere. Nothing is kept, and who
 * does not listen hears nothing; so it is for what may get lost. Thread-safe.
 */
public final class MessageBus implements AutoCloseable {

  private final Broker broker;
  private final Subscription subscription;

  private MessageBus(Broker broker, Subscription subscription) {
    this.broker = broker;
    this.subscription = subscription;
  }

  /**
   * Begins to listen. After a lost connection it listens again by itself; a Redis user that must
   * not listen gets a warning, and hears nothing.
   *
   * @param names what this process is called, one or more
   * @param listener told of each message for one of the names, in the order in which they were sent
   *     to it; on a thread of its own, which it must not keep
   */
  public static MessageBus open(
      RedisConnection redis, List<String> names, Consumer<byte[]> listener) {
    Broker broker = BrokerConnection.brokerOf(redis);
    return new MessageBus(broker, broker.pubSub().subscribe(names, listener));
  }

  /** Sends a message to whoever is called so. */
  public void tell(String name, byte[] message) {
    broker.pubSub().publish(name, message);
  }

  @Override
  public void close() {
    subscription.close();
  }
}
