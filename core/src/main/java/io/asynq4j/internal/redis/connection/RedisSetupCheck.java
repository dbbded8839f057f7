package io.asynq4j.internal.redis.connection;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol.Command;

/**
 * Checks whether a Redis is configured to keep tasks. Warns if it is not, or if the user may not
 * check it.
 */
public record RedisSetupCheck(RedisCommandExecutor link) {

  private static final Logger log = LoggerFactory.getLogger(RedisSetupCheck.class);

  public void run() {
    ask(
        Command.CLIENT,
        "this Redis user may not run CLIENT, so its connections have no name there; allow it with"
            + " +client|setname and +client|getname",
        "GETNAME");
    Object answer =
        ask(
            Command.INFO,
            "this Redis user may not run INFO, so eviction and persistence cannot be checked;"
                + " allow it with +info");
    Map<String, String> info = RedisInfo.parse(answer);
    if (info.getOrDefault("role", "master").equals("slave")) {
      log.warn(
          "this Redis is a replica of {}:{} and accepts no tasks: use the address of the primary, or"
              + " of the sentinels",
          info.get("master_host"),
          info.get("master_port"));
    }
    String policy = info.getOrDefault("maxmemory_policy", "noeviction");
    if (!policy.equals("noeviction")) {
      log.warn(
          "Redis evicts keys when memory runs short (maxmemory-policy {}): tasks may be lost;"
              + " set maxmemory-policy noeviction",
          policy);
    }
    if (info.getOrDefault("aof_enabled", "1").equals("0")) {
      checkSnapshots();
    }
  }

  private void checkSnapshots() {
    Object answer =
        ask(
            Command.CONFIG,
            "Redis has no append-only file, and this user may not check whether it saves snapshots:"
                + " tasks may be lost when it restarts; set appendonly yes, or allow +config|get",
            "GET",
            "save");
    List<@Nullable Object> save = ReplyParser.list(answer);
    if (save.size() > 1 && ReplyParser.text(save.get(1)).isEmpty()) {
      log.warn(
          "Redis saves nothing to disk: all tasks are lost when it restarts; set appendonly yes");
    }
  }

  /** Sends a command. Logs the warning and returns null if the user may not run it. */
  private @Nullable Object ask(Command command, String warning, String... args) {
    CommandArgs all = new CommandArgs();
    Stream.of(args).forEach(all::add);
    try {
      return link.call(0, ResendPolicy.SAFE, command, all);
    } catch (BrokerRefusedException e) {
      log.warn(warning);
      return null;
    }
  }
}
