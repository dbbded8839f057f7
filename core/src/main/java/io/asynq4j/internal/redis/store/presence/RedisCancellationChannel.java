package io.asynq4j.internal.redis.store.presence;

import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.ChannelSubscription;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol;

/** Redis channel for cancellations. */
public final class RedisCancellationChannel implements CancellationChannel {

  private final RedisCommandExecutor link;

  public RedisCancellationChannel(RedisCommandExecutor link) {
    this.link = link;
  }

  @Override
  public void publish(String taskId) {
    link.call(
        RedisKeys.CANCEL_CHANNEL,
        ResendPolicy.NEVER,
        Protocol.Command.PUBLISH,
        new CommandArgs().add(RedisKeys.CANCEL_CHANNEL).add(taskId));
  }

  @Override
  public Subscription subscribe(Consumer<String> listener) {
    ChannelSubscription subscription =
        new ChannelSubscription(
            link,
            List.of(RedisKeys.CANCEL_CHANNEL),
            "cancellations",
            RedisKeys.CANCEL_CHANNEL,
            "running tasks cannot be cancelled by other processes",
            taskId -> listener.accept(new String(taskId, StandardCharsets.UTF_8)));
    subscription.start();
    return subscription;
  }
}
