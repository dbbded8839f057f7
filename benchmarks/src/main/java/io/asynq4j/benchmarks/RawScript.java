package io.asynq4j.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;

/** A numbered script, called as the library does. */
final class RawScript {
  private final Jedis redis;
  private final byte[] sha;
  private final String prefix;
  private final List<byte[]> keys;

  RawScript(Jedis redis, String name, Stock stock, List<String> keys) {
    this.redis = redis;
    this.sha = redis.scriptLoad(bytes(read("prelude") + read(name)));
    this.prefix = stock.key("");
    this.keys = keys.stream().map(key -> bytes(stock.key(key))).toList();
  }

  void call(String number, List<byte[]> items) {
    List<byte[]> args = new ArrayList<>(items.size() + 4);
    args.add(bytes(""));
    args.add(bytes(prefix));
    args.add(bytes(number));
    args.add(bytes("120"));
    args.addAll(items);
    redis.evalsha(sha, keys, args);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String read(String name) {
    String resource = "/io/asynq4j/redis/lua/" + name + ".lua";
    try (InputStream in = RawScript.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
