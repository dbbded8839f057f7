package io.asynq4j.internal.redis.script;

import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The keys of one queue as bytes, in the order that each script expects. Computed once. */
final class QueueScriptKeys {

  final byte[] prefix;
  final int slot;
  private final QueueName queue;
  private final Map<Script, byte[][]> ofScript = new ConcurrentHashMap<>();

  QueueScriptKeys(QueueName queue) {
    this.queue = queue;
    this.prefix = key("");
    this.slot = RedisKeys.slot(RedisKeys.prefix(queue));
  }

  /** Returns the keys, with the key of a lane in its place if one is given. */
  byte[][] of(Script script, byte @Nullable [] lane) {
    byte[][] keys = ofScript.get(script);
    if (keys == null) {
      keys =
          ofScript.computeIfAbsent(
              script, any -> script.keys().stream().map(this::key).toArray(byte[][]::new));
    }
    if (lane != null) {
      keys = keys.clone();
      keys[script.keys().indexOf("lane")] = lane;
    }
    return keys;
  }

  byte[] lane(String id) {
    return key("lane:" + id);
  }

  private byte[] key(String word) {
    return RedisKeys.of(queue, word).getBytes(StandardCharsets.UTF_8);
  }
}
