package io.asynq4j.redis;

import io.asynq4j.QueueName;
import io.asynq4j.broker.Lookout;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import redis.clients.jedis.Protocol.Command;

/** Looks at queues by asking. */
final class RedisLookout implements Lookout {

  private final Link link;

  RedisLookout(Link link) {
    this.link = link;
  }

  @Override
  public Set<QueueName> having(Collection<QueueName> queues, Set<Part> parts) {
    Set<QueueName> having = new HashSet<>();
    for (QueueName queue : queues) {
      Args args = new Args();
      for (Part part : parts) {
        args.add(Keys.of(queue, part.name().toLowerCase(Locale.ROOT)));
      }
      if (Reply.number(link.call(Keys.prefix(queue), Repeat.SAFE, Command.EXISTS, args)) > 0) {
        having.add(queue);
      }
    }
    return having;
  }

  @Override
  public Watch watch(Listener listener) {
    return new Watch() {
      @Override
      public Set<QueueName> arm(Collection<QueueName> queues, Set<Part> parts) {
        return having(queues, parts);
      }

      @Override
      public boolean isLive() {
        return false;
      }

      @Override
      public void close() {}
    };
  }
}
