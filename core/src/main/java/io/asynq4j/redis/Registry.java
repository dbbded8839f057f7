package io.asynq4j.redis;

import io.asynq4j.QueueName;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Protocol;

/**
 * Puts names of queues where inspectors find them. Done again now and then for queues in use, since
 * another process may have removed one in the meantime. Thread-safe.
 */
final class Registry {

  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Link link;
  private final Map<QueueName, Long> registeredAt = new ConcurrentHashMap<>();

  Registry(Link link) {
    this.link = link;
  }

  void register(QueueName queue) {
    Long last = registeredAt.get(queue);
    long now = System.nanoTime();
    if (last == null || now - last > REFRESH_NANOS) {
      link.call(
          Keys.QUEUES,
          Repeat.SAFE,
          Protocol.Command.SADD,
          new Args().add(Keys.QUEUES).add(queue.value()));
      registeredAt.put(queue, now);
    }
  }

  /** At once, also if this process has done it just now: somebody has seen that it is missing. */
  void registerAgain(QueueName queue) {
    registeredAt.remove(queue);
    register(queue);
  }

  void remove(QueueName queue) {
    registeredAt.remove(queue);
    link.call(
        Keys.QUEUES,
        Repeat.SAFE,
        Protocol.Command.SREM,
        new Args().add(Keys.QUEUES).add(queue.value()));
  }
}
