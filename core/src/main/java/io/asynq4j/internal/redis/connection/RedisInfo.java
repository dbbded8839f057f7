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

  static Map<String, String> ask(RedisCommandExecutor link) {
    Map<String, String> info = new LinkedHashMap<>();
    add(info, link.call(0, ResendPolicy.SAFE, Command.INFO, new CommandArgs()));
    return info;
  }

  public static Map<String, String> askWithCluster(RedisCommandExecutor link) {
    Map<String, String> info = ask(link);
    if ("1".equals(info.get("cluster_enabled"))) {
      try {
        add(info, link.call(0, ResendPolicy.SAFE, Command.CLUSTER, new CommandArgs().add("INFO")));
      } catch (BrokerRefusedException e) {
        // Without permission for CLUSTER INFO, the caller gets the rest.
        return info;
      }
    }
    return info;
  }

  private static void add(Map<String, String> info, @Nullable Object answer) {
    ReplyParser.text(answer)
        .lines()
        .filter(line -> !line.startsWith("#") && line.indexOf(':') > 0)
        .forEach(
            line ->
                info.put(
                    line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
  }
}
