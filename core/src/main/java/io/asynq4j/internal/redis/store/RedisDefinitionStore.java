package io.asynq4j.internal.redis.store;

import io.asynq4j.internal.broker.DefinitionStore;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.Protocol.Command;

/** Stores all task definitions in one hash. */
record RedisDefinitionStore(RedisCommandExecutor link) implements DefinitionStore {

  private static final String KEY = RedisKeys.DEFINITIONS;

  @Override
  public Map<String, String> all() {
    return ReplyParser.map(link.callSafe(Command.HGETALL, KEY));
  }

  @Override
  public Optional<String> get(String name) {
    return Optional.ofNullable(link.callSafe(Command.HGET, KEY, name)).map(ReplyParser::text);
  }

  @Override
  public void put(Map<String, String> texts) {
    CommandArgs args = new CommandArgs().add(KEY);
    texts.forEach((name, text) -> args.add(name).add(text));
    link.call(KEY, ResendPolicy.SAFE, Command.HSET, args);
  }

  @Override
  public long remove(Collection<String> names) {
    CommandArgs args = new CommandArgs().add(KEY);
    names.forEach(args::add);
    return ReplyParser.number(link.call(KEY, ResendPolicy.NEVER, Command.HDEL, args));
  }
}
