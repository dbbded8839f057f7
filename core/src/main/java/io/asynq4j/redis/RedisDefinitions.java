package io.asynq4j.redis;

import io.asynq4j.broker.Definitions;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** Definitions in one hash. */
final class RedisDefinitions implements Definitions {

  private static final String KEY = Keys.DEFINITIONS;

  private final Link link;

  RedisDefinitions(Link link) {
    this.link = link;
  }

  @Override
  public Map<String, String> all() {
    List<@Nullable Object> reply =
        Reply.list(link.call(KEY, Repeat.SAFE, Command.HGETALL, new Args().add(KEY)));
    Map<String, String> all = new LinkedHashMap<>();
    for (int i = 0; i + 1 < reply.size(); i += 2) {
      all.put(Reply.text(reply.get(i)), Reply.text(reply.get(i + 1)));
    }
    return all;
  }

  @Override
  public Optional<String> get(String name) {
    Object reply = link.call(KEY, Repeat.SAFE, Command.HGET, new Args().add(KEY).add(name));
    return reply == null ? Optional.empty() : Optional.of(Reply.text(reply));
  }

  @Override
  public void put(Map<String, String> texts) {
    Args args = new Args().add(KEY);
    texts.forEach((name, text) -> args.add(name).add(text));
    link.call(KEY, Repeat.SAFE, Command.HSET, args);
  }

  @Override
  public long remove(Collection<String> names) {
    Args args = new Args().add(KEY);
    names.forEach(args::add);
    return Reply.number(link.call(KEY, Repeat.NEVER, Command.HDEL, args));
  }
}
