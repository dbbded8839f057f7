package io.asynq4j.redis;

import io.asynq4j.broker.Semaphores;
import java.time.Instant;
import redis.clients.jedis.Protocol;

/** Semaphores in Redis, shared with the original's. */
final class RedisSemaphores implements Semaphores {

  private final Scripts scripts;
  private final Link link;

  RedisSemaphores(Scripts scripts, Link link) {
    this.scripts = scripts;
    this.link = link;
  }

  @Override
  public boolean acquire(String scope, int tokens, String taskId, Instant deadline) {
    if (scope.isBlank()) {
      throw new IllegalArgumentException("the scope of a semaphore must not be blank");
    }
    if (tokens < 1) {
      throw new IllegalArgumentException("a semaphore needs one token or more: " + tokens);
    }
    Args args = new Args(3).add(tokens).add(deadline.getEpochSecond()).add(taskId);
    return Reply.text(scripts.run(Script.ACQUIRE, new String[] {Keys.semaphore(scope)}, args))
        .equals("true");
  }

  @Override
  public boolean release(String scope, String taskId) {
    String key = Keys.semaphore(scope);
    return Reply.number(
            link.call(key, Repeat.NEVER, Protocol.Command.ZREM, new Args().add(key).add(taskId)))
        == 1;
  }
}
