package io.asynq4j.internal.redis.store.presence;

import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.broker.pubsub.PubSub;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.ChannelSubscription;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.util.List;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol.Command;

/** Redis implementation of named channels. */
public final class RedisPubSub implements PubSub {

  private final RedisCommandExecutor link;

  public RedisPubSub(RedisCommandExecutor link) {
    this.link = link;
  }

  @Override
  public void publish(String name, byte[] message) {
    // All publishers for a name use the same cluster node, which preserves their order.
    String channel = RedisKeys.channel(name);
    link.call(
        channel, ResendPolicy.NEVER, Command.PUBLISH, new CommandArgs().add(channel).add(message));
  }

  @Override
  public Subscription subscribe(List<String> names, Consumer<byte[]> listener) {
    ChannelSubscription subscription =
        new ChannelSubscription(
            link,
            names.stream().map(RedisKeys::channel).toList(),
            "channels",
            RedisKeys.channel("*"),
            "messages of other processes to this one are not received",
            listener);
    subscription.start();
    return subscription;
  }
}
