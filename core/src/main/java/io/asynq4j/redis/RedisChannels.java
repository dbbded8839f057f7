package io.asynq4j.redis;

import io.asynq4j.broker.Cancellations.Subscription;
import io.asynq4j.broker.Channels;
import java.util.List;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol.Command;

/** Channels by name. */
final class RedisChannels implements Channels {

  private final Link link;

  RedisChannels(Link link) {
    this.link = link;
  }

  @Override
  public void publish(String name, byte[] message) {
    // All who publish for a name ask the same node of a cluster, which keeps their order.
    String channel = Keys.channel(name);
    link.call(channel, Repeat.NEVER, Command.PUBLISH, new Args().add(channel).add(message));
  }

  @Override
  public Subscription subscribe(List<String> names, Consumer<byte[]> listener) {
    ChannelSubscription subscription =
        new ChannelSubscription(
            link,
            names.stream().map(Keys::channel).toList(),
            "channels",
            Keys.channel("*"),
            "what other processes tell this one is not heard",
            listener);
    subscription.start();
    return subscription;
  }
}
