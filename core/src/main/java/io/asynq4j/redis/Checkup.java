package io.asynq4j.redis;

import io.asynq4j.BrokerRefusedException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol.Command;

/**
 * Looks whether a Redis is set up to keep tasks, and warns where it is not. What it must not look
 * at, it passes over.
 */
final class Checkup {

  private static final Logger log = LoggerFactory.getLogger(Checkup.class);

  private final Link link;

  Checkup(Link link) {
    this.link = link;
  }

  void run() {
    Map<String, String> info = info();
    if (info.isEmpty()) {
      return;
    }
    String policy = info.getOrDefault("maxmemory_policy", "noeviction");
    if (!policy.equals("noeviction")) {
      log.warn(
          "Redis evicts keys when memory runs short (maxmemory-policy {}): tasks may be lost;"
              + " set maxmemory-policy noeviction",
          policy);
    }
    if (info.getOrDefault("aof_enabled", "1").equals("0") && savesNothing()) {
      log.warn(
          "Redis saves nothing to disk: all tasks are lost when it restarts; set appendonly yes");
    }
  }

  private Map<String, String> info() {
    try {
      return RedisInfo.ask(link);
    } catch (BrokerRefusedException e) {
      log.warn(
          "this Redis user must not run INFO, so nothing is known of eviction and persistence there");
      return Map.of();
    }
  }

  private boolean savesNothing() {
    try {
      Args args = new Args().add("GET").add("save");
      List<@Nullable Object> save = Reply.list(link.call(0, Repeat.SAFE, Command.CONFIG, args));
      return save.size() > 1 && Reply.text(save.get(1)).isEmpty();
    } catch (BrokerRefusedException e) {
      return false;
    }
  }
}
