package io.asynq4j.benchmarks.harness;

import io.asynq4j.internal.redis.script.ShippedScripts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;

/** A numbered script, called like the library calls it, without anything around it. */
public final class RawScript {

  private static final String KEEP_SECONDS = "120";

  private final Jedis redis;
  private final byte[] sha;
  private final byte[] prefix;
  private final List<byte[]> keys;

  /**
   * Loads a script.
   *
   * @param prefix prefix of all keys of the queue
   * @param keys suffixes of the keys
   */
  public RawScript(Jedis redis, String name, String prefix, List<String> keys) {
    this.redis = redis;
    this.sha = redis.scriptLoad(ShippedScripts.source(name));
    this.prefix = bytes(prefix);
    this.keys = keys.stream().map(key -> bytes(prefix + key)).toList();
  }

  /**
   * Runs the script.
   *
   * @param number number of the call; empty for none
   */
  public Object call(String number, List<byte[]> items) {
    List<byte[]> args = new ArrayList<>(items.size() + 4);
    args.add(bytes(""));
    args.add(prefix);
    args.add(bytes(number));
    args.add(bytes(KEEP_SECONDS));
    args.addAll(items);
    return redis.evalsha(sha, keys, args);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
