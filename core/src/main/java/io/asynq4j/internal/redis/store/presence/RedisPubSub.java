package io.asynq4j.internal.redis.store.presence;

import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.PubSub;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.ChannelSubscription;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol.Command;

/** Redis channels: the named ones, and the one for cancellations. */
public record RedisPubSub(RedisCommandExecutor link) implements PubSub, CancellationChannel {

  @Override
  public void publish(String name, byte[] message) {
    send(RedisKeys.channel(name), message);
  }

  @Override
  public void publish(String taskId) {
    send(RedisKeys.CANCEL_CHANNEL, taskId.getBytes(StandardCharsets.UTF_8));
  }

  /** All publishers of a channel use the same cluster node, which preserves their order. */
  private void send(String channel, byte[] message) {
    link.call(
        channel, ResendPolicy.NEVER, Command.PUBLISH, new CommandArgs().add(channel).add(message));
  }

  @Override
  public Subscription subscribe(List<String> names, Consumer<byte[]> listener) {
    return new ChannelSubscription(
            link,
            names.stream().map(RedisKeys::channel).toList(),
            "channels",
            RedisKeys.channel("*"),
            "messages of other processes to this one are not received",
            listener)
        .start();
  }

  @Override
  public Subscription subscribe(Consumer<String> listener) {
    return new ChannelSubscription(
            link,
            List.of(RedisKeys.CANCEL_CHANNEL),
            "cancellations",
            RedisKeys.CANCEL_CHANNEL,
            "running tasks cannot be cancelled by other processes",
            taskId -> listener.accept(new String(taskId, StandardCharsets.UTF_8)))
        .start();
  }
}
