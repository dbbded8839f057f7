package io.asynq4j.internal.redis.script;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of one queue as bytes, in the order that each script expects. Computed once. */
final class QueueScriptKeys {

  private final QueueName queue;
  private final byte[] prefix;
  private final int slot;
  private final Map<Script, byte[][]> ofScript =
      new ConcurrentHashMap<>(new EnumMap<>(Script.class));

  QueueScriptKeys(QueueName queue) {
    this.queue = queue;
    this.prefix = RedisKeys.prefix(queue).getBytes(StandardCharsets.UTF_8);
    this.slot = RedisKeys.slot(RedisKeys.prefix(queue));
  }

  byte[] prefix() {
    return prefix;
  }

  int slot() {
    return slot;
  }

  byte[][] of(Script script) {
    byte[][] keys = ofScript.get(script);
    return keys != null ? keys : ofScript.computeIfAbsent(script, this::make);
  }

  /** Returns the keys, with the key of a lane in its place. */
  byte[][] of(Script script, byte[] lane) {
    byte[][] keys = of(script).clone();
    keys[script.keys().indexOf("lane")] = lane;
    return keys;
  }

  byte[] lane(String id) {
    return RedisKeys.of(queue, "lane:" + id).getBytes(StandardCharsets.UTF_8);
  }

  private byte[][] make(Script script) {
    List<String> words = script.keys();
    byte[][] keys = new byte[words.size()][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = RedisKeys.of(queue, words.get(i)).getBytes(StandardCharsets.UTF_8);
    }
    return keys;
  }
}
