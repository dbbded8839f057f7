package io.asynq4j.redis;

import io.asynq4j.FailedAttempt;
import io.asynq4j.broker.TaskMessage;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.wire.WireTask;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/**
 * Everything that is in Redis, one line a key, in order. The prefix of queue {@code q} is left out,
 * and so are lanes, which belong to the transport. Messages are decoded; counters of a day show
 * when they expire, other keys how long they last.
 */
final class RedisTextDump {

  private static final String PREFIX = "asynq:{q}:";

  private final Map<String, String> lines = new TreeMap<>();

  static String of(TestRedis server) {
    RedisTextDump world = new RedisTextDump();
    for (EmbeddedRedis primary : server.primaries()) {
      try (Connection connection = TestRedis.connect(primary)) {
        world.read(connection);
      }
    }
    StringBuilder text = new StringBuilder();
    world.lines.forEach((key, value) -> text.append(key).append(": ").append(value).append('\n'));
    return text.toString();
  }

  /** All keys in three round trips: what they are, what they hold and how long. */
  private void read(Connection connection) {
    List<String> keys =
        texts(connection.executeCommand(new CommandArguments(Command.KEYS).add("*"))).stream()
            .filter(key -> !key.contains(":lane:"))
            .toList();
    List<String> types = texts(all(connection, keys, key -> arguments(Command.TYPE, key)));
    Iterator<String> type = types.iterator();
    List<Object> values = all(connection, keys, key -> reading(type.next(), key));
    List<Object> ttls = all(connection, keys, key -> arguments(Command.PTTL, key));
    for (int i = 0; i < keys.size(); i++) {
      String key = keys.get(i);
      lines.put(
          key.replace(PREFIX, ""),
          value(types.get(i), values.get(i)) + ttl(key, (Long) ttls.get(i)));
    }
  }

  private static List<Object> all(
      Connection connection, List<String> keys, Function<String, CommandArguments> command) {
    keys.forEach(key -> connection.sendCommand(command.apply(key)));
    return connection.getMany(keys.size());
  }

  private static CommandArguments reading(String type, String key) {
    return switch (type) {
      case "string" -> arguments(Command.GET, key);
      case "list" -> arguments(Command.LRANGE, key, "0", "-1");
      case "set" -> arguments(Command.SMEMBERS, key);
      case "zset" -> arguments(Command.ZRANGE, key, "0", "-1", "WITHSCORES");
      case "hash" -> arguments(Command.HGETALL, key);
      default -> throw new IllegalStateException(key + " is a " + type);
    };
  }

  private static String value(String type, Object reply) {
    return switch (type) {
      case "string" -> text(reply);
      case "list" -> texts(reply).toString();
      case "set" -> new TreeSet<>(texts(reply)).toString();
      case "zset" -> pairs(texts(reply));
      default -> fields((List<?>) reply);
    };
  }

  private static String ttl(String key, long millis) {
    if (millis < 0) {
      return "";
    }
    if (key.contains(":processed:") || key.contains(":failed:")) {
      return " until " + Math.round((Clock.systemUTC().millis() + millis) / 1000.0);
    }
    // The seconds that a busy machine lets pass meanwhile do not show.
    return " for " + (long) Math.ceil(millis / 10_000.0) * 10 + "s";
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
      byte[] value = (byte[]) flat.get(i + 1);
      fields.put(
          name,
          switch (name) {
            case "msg" -> message(value);
            case FailuresField.NAME -> failures(value);
            default -> text(value);
          });
    }
    return fields.toString();
  }

  private static String failures(byte[] field) {
    return FailuresField.decode(field).stream().map(FailedAttempt::error).toList().toString();
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

  private static CommandArguments arguments(Command command, String... args) {
    CommandArguments arguments = new CommandArguments(command);
    for (String arg : args) {
      arguments.add(arg);
    }
    return arguments;
  }

  private static List<String> texts(Object reply) {
    return ((List<?>) reply).stream().map(RedisTextDump::text).toList();
  }

  private static String text(Object bytes) {
    return bytes instanceof byte[] raw
        ? new String(raw, StandardCharsets.UTF_8)
        : String.valueOf(bytes);
  }
}
