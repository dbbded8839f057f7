package io.asynq4j.internal.redis.store;

import io.asynq4j.internal.broker.SemaphoreOperations;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.time.Instant;
import redis.clients.jedis.Protocol;

/** Redis implementation of semaphores, compatible with the Go implementation. */
record RedisSemaphoreOperations(ScriptRunner scripts, RedisCommandExecutor link)
    implements SemaphoreOperations {

  @Override
  public boolean acquire(String scope, int tokens, String taskId, Instant deadline) {
    String[] keys = {RedisKeys.semaphore(scope)};
    CommandArgs args = new CommandArgs(3).add(tokens).add(deadline.getEpochSecond()).add(taskId);
    return ReplyParser.text(scripts.run(Script.ACQUIRE, keys, args)).equals("true");
  }

  @Override
  public boolean release(String scope, String taskId) {
    String key = RedisKeys.semaphore(scope);
    CommandArgs args = new CommandArgs(2).add(key).add(taskId);
    return ReplyParser.number(link.call(key, ResendPolicy.NEVER, Protocol.Command.ZREM, args)) == 1;
  }
}
