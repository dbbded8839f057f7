package io.asynq4j.redis;

import io.asynq4j.embedded.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/**
 * Every key of a Redis with its value in bytes.
 *
 * @param takenAtMillis by the clock that the remaining lives of the keys go by
 */
record RedisSnapshot(long takenAtMillis, SortedMap<String, Entry> entries) {

  /**
   * A key.
   *
   * @param ttlMillis how long it has left; negative = for ever
   * @param values the value, the items, or, by turns, member and score, or field and value
   */
  record Entry(String type, long ttlMillis, List<byte[]> values) {

    List<String> texts() {
      return values.stream().map(RedisSnapshot::text).toList();
    }

    /** Members with their scores, or fields with their values. */
    Map<String, byte[]> pairs() {
      Map<String, byte[]> pairs = new TreeMap<>();
      for (int i = 0; i < values.size(); i += 2) {
        pairs.put(text(values.get(i)), values.get(i + 1));
      }
      return pairs;
    }

    /** The same, of a value that is all text. */
    Map<String, String> textPairs() {
      Map<String, String> pairs = new HashMap<>();
      pairs().forEach((name, value) -> pairs.put(name, text(value)));
      return pairs;
    }
  }

  static RedisSnapshot of(TestRedis server) {
    SortedMap<String, Entry> entries = new TreeMap<>();
    for (EmbeddedRedis primary : server.primaries()) {
      try (Connection connection = TestRedis.connect(primary)) {
        for (Object key : ReplyParser.list(command(connection, Command.KEYS, "*"))) {
          String name = ReplyParser.text(key);
          String type = ReplyParser.text(command(connection, Command.TYPE, name));
          if (!type.equals("none")) {
            long ttl = ReplyParser.number(command(connection, Command.PTTL, name));
            entries.put(name, new Entry(type, ttl, values(connection, type, name)));
          }
        }
      }
    }
    return new RedisSnapshot(Clock.systemUTC().millis(), entries);
  }

  private static List<byte[]> values(Connection connection, String type, String key) {
    Object reply =
        switch (type) {
          case "string" -> List.of(command(connection, Command.GET, key));
          case "list" -> command(connection, Command.LRANGE, key, "0", "-1");
          case "set" -> command(connection, Command.SMEMBERS, key);
          case "zset" -> command(connection, Command.ZRANGE, key, "0", "-1", "WITHSCORES");
          case "hash" -> command(connection, Command.HGETALL, key);
          default -> throw new IllegalStateException(key + " is a " + type);
        };
    List<byte[]> values = new ArrayList<>();
    for (Object value : ReplyParser.list(reply)) {
      values.add(ReplyParser.bytes(value));
    }
    return values;
  }

  /** Puts a key into a Redis. */
  static void put(Connection connection, String key, Entry entry) {
    Command command =
        switch (entry.type()) {
          case "string" -> Command.SET;
          case "list" -> Command.RPUSH;
          case "set" -> Command.SADD;
          case "zset" -> Command.ZADD;
          case "hash" -> Command.HSET;
          default -> throw new IllegalStateException(key + " is a " + entry.type());
        };
    CommandArguments arguments = new CommandArguments(command).add(key);
    if (command == Command.ZADD) {
      for (int i = 0; i < entry.values().size(); i += 2) {
        arguments.add(entry.values().get(i + 1)).add(entry.values().get(i));
      }
    } else {
      entry.values().forEach(arguments::add);
    }
    connection.executeCommand(arguments);
    if (entry.ttlMillis() >= 0) {
      command(connection, Command.PEXPIRE, key, Long.toString(entry.ttlMillis()));
    }
  }

  static Object command(Connection connection, Command command, String... args) {
    CommandArguments arguments = new CommandArguments(command);
    for (String arg : args) {
      arguments.add(arg);
    }
    return connection.executeCommand(arguments);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
