package io.asynq4j.redis;

import io.asynq4j.broker.TaskMessage;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.wire.WireTask;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/**
 * Everything that is in Redis, one line a key, in order. The prefix of queue {@code q} is left out,
 * and so are lanes, which belong to the transport. Messages are decoded; counters of a day show
 * when they expire, other keys how long they last.
 */
final class World {

  private static final String PREFIX = "asynq:{q}:";

  private final Map<String, String> lines = new TreeMap<>();

  static String of(TestServer server) {
    World world = new World();
    for (EmbeddedRedis primary : server.primaries()) {
      try (Connection connection = TestServer.connect(primary)) {
        world.read(connection);
      }
    }
    StringBuilder text = new StringBuilder();
    world.lines.forEach((key, value) -> text.append(key).append(": ").append(value).append('\n'));
    return text.toString();
  }

  private void read(Connection connection) {
    for (Object key :
        (List<?>) connection.executeCommand(new CommandArguments(Command.KEYS).add("*"))) {
      String name = text(key);
      if (!name.contains(":lane:")) {
        lines.put(name.replace(PREFIX, ""), value(connection, name) + ttl(connection, name));
      }
    }
  }

  private static String value(Connection connection, String key) {
    String type = text(connection.executeCommand(new CommandArguments(Command.TYPE).add(key)));
    return switch (type) {
      case "string" -> text(command(connection, Command.GET, key));
      case "list" -> texts(command(connection, Command.LRANGE, key, "0", "-1")).toString();
      case "set" -> new TreeSet<>(texts(command(connection, Command.SMEMBERS, key))).toString();
      case "zset" ->
          pairs(texts(command(connection, Command.ZRANGE, key, "0", "-1", "WITHSCORES")));
      case "hash" -> fields((List<?>) command(connection, Command.HGETALL, key));
      default -> throw new IllegalStateException(key + " is a " + type);
    };
  }

  private static String ttl(Connection connection, String key) {
    long millis = (Long) command(connection, Command.PTTL, key);
    if (millis < 0) {
      return "";
    }
    if (key.contains(":processed:") || key.contains(":failed:")) {
      return " until " + Math.round((Clock.systemUTC().millis() + millis) / 1000.0);
    }
    return " for " + Math.round(millis / 1000.0) + "s";
  }

  private static String pairs(List<String> flat) {
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < flat.size(); i += 2) {
      pairs.add(flat.get(i) + "=" + flat.get(i + 1));
    }
    return "{" + String.join(", ", pairs) + "}";
  }

  private static String fields(List<?> flat) {
    Map<String, String> fields = new TreeMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      String name = text(flat.get(i));
      fields.put(
          name, name.equals("msg") ? message((byte[]) flat.get(i + 1)) : text(flat.get(i + 1)));
    }
    return fields.toString();
  }

  /** What a message says, without what it does not say and without its id and queue. */
  static String message(byte[] bytes) {
    try {
      WireTask task = WireTask.parseFrom(bytes);
      StringBuilder text =
          new StringBuilder(task.getType()).append('(').append(task.getPayload().toStringUtf8());
      text.append(") retry ").append(task.getRetried()).append('/').append(task.getRetry());
      add(text, "timeout", task.getTimeout());
      add(text, "deadline", task.getDeadline());
      add(text, "retention", task.getRetention());
      add(text, "failed", task.getLastFailedAt());
      add(text, "completed", task.getCompletedAt());
      if (!task.getErrorMsg().isEmpty()) {
        text.append(" error '").append(task.getErrorMsg()).append('\'');
      }
      if (!task.getUniqueKey().isEmpty()) {
        text.append(" unique");
      }
      if (!task.getGroupKey().isEmpty()) {
        text.append(" group ").append(task.getGroupKey());
      }
      if (!task.getHeadersMap().isEmpty()) {
        text.append(" headers ").append(new TreeMap<>(task.getHeadersMap()));
      }
      return text.toString();
    } catch (java.io.IOException e) {
      return "0x" + HexFormat.of().formatHex(bytes);
    }
  }

  static String message(TaskMessage message) {
    return message(MessageCodec.encode(message));
  }

  private static void add(StringBuilder text, String name, long value) {
    if (value != 0) {
      text.append(' ').append(name).append(' ').append(value);
    }
  }

  private static Object command(Connection connection, Command command, String... args) {
    CommandArguments arguments = new CommandArguments(command);
    for (String arg : args) {
      arguments.add(arg);
    }
    return connection.executeCommand(arguments);
  }

  private static List<String> texts(Object reply) {
    return ((List<?>) reply).stream().map(World::text).toList();
  }

  private static String text(Object bytes) {
    return bytes instanceof byte[] raw
        ? new String(raw, StandardCharsets.UTF_8)
        : String.valueOf(bytes);
  }
}
