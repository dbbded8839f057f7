package io.asynq4j.redis;

import io.asynq4j.broker.Cancellations;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import redis.clients.jedis.Protocol;

/** The channel for cancellations. */
final class RedisCancellations implements Cancellations {

  private final Link link;

  RedisCancellations(Link link) {
    this.link = link;
  }

  @Override
  public void publish(String taskId) {
    link.call(
        Keys.CANCEL_CHANNEL,
        Repeat.NEVER,
        Protocol.Command.PUBLISH,
        new Args().add(Keys.CANCEL_CHANNEL).add(taskId));
  }

  @Override
  public Subscription subscribe(Consumer<String> listener) {
    ChannelSubscription subscription =
        new ChannelSubscription(
            link,
            List.of(Keys.CANCEL_CHANNEL),
            "cancellations",
            Keys.CANCEL_CHANNEL,
            "running tasks cannot be cancelled from elsewhere",
            taskId -> listener.accept(new String(taskId, StandardCharsets.UTF_8)));
    subscription.start();
    return subscription;
  }
}
