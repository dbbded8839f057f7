package io.asynq4j.redis;

import java.util.LinkedHashMap;
import java.util.Map;
import redis.clients.jedis.Protocol.Command;

/** What {@code INFO} says, as names and values. */
final class RedisInfo {

  private RedisInfo() {}

  static Map<String, String> ask(Link link) {
    Map<String, String> info = new LinkedHashMap<>();
    Reply.text(link.call(0, Repeat.SAFE, Command.INFO, new Args()))
        .lines()
        .filter(line -> !line.startsWith("#") && line.indexOf(':') > 0)
        .forEach(
            line ->
                info.put(
                    line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
    return info;
  }
}
