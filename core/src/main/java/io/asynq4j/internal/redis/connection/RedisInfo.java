package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** The output of {@code INFO}, and for a cluster of {@code CLUSTER INFO}, as names and values. */
public final class RedisInfo {

  private RedisInfo() {}

  public static Map<String, String> askWithCluster(RedisCommandExecutor link) {
    Map<String, String> info =
        parse(link.call(0, ResendPolicy.SAFE, Command.INFO, new CommandArgs()));
    if ("1".equals(info.get("cluster_enabled"))) {
      CommandArgs args = new CommandArgs().add("INFO");
      try {
        info.putAll(parse(link.call(0, ResendPolicy.SAFE, Command.CLUSTER, args)));
      } catch (BrokerRefusedException e) {
        // Without permission for CLUSTER INFO, the caller gets the rest.
      }
    }
    return info;
  }

  /** Returns the names and values in a reply, in its order. */
  static Map<String, String> parse(@Nullable Object answer) {
    Map<String, String> info = new LinkedHashMap<>();
    ReplyParser.text(answer)
        .lines()
        .map(line -> line.split(":", 2))
        .filter(pair -> pair.length == 2 && !pair[0].isEmpty() && !pair[0].startsWith("#"))
        .forEach(pair -> info.put(pair[0], pair[1]));
    return info;
  }
}
