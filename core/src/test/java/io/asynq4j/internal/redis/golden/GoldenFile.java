package io.asynq4j.internal.redis.golden;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.RedisSnapshot;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import redis.clients.jedis.Connection;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What asynq for Go leaves in Redis after some input, and what its inspector returns; see {@code
 * golden/README.md}.
 */
public final class GoldenFile {

  /** The keys of living servers must not go while a slow machine looks at them. */
  private static final long SHORTEST_TTL_MILLIS = 60_000;

  private static final JsonMapper JSON = JsonMapper.shared();

  private final JsonNode file;

  private GoldenFile(String name) {
    this.file = read(name);
  }

  public static List<GoldenFile> all() {
    List<GoldenFile> all = new ArrayList<>();
    for (JsonNode entry : read("index")) {
      all.add(named(entry.get("name").asString()));
    }
    return all;
  }

  static GoldenFile named(String name) {
    return new GoldenFile(name);
  }

  private static JsonNode read(String name) {
    try (InputStream file =
        Objects.requireNonNull(GoldenFile.class.getResourceAsStream("/golden/" + name + ".json"))) {
      return JSON.readTree(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String name() {
    return file.get("name").asString();
  }

  Instant started() {
    return Instant.ofEpochMilli(file.get("started_unix_ms").asLong());
  }

  Instant dumped() {
    return Instant.ofEpochMilli(file.get("dumped_unix_ms").asLong());
  }

  /** What the inspector of asynq for Go returns. */
  JsonNode inspector() {
    return file.get("go_inspector");
  }

  public RedisSnapshot snapshot() {
    SortedMap<String, RedisSnapshot.Entry> entries = new TreeMap<>();
    for (JsonNode key : file.get("redis")) {
      String type = key.get("type").asString();
      entries.put(
          key.get("key").asString(),
          new RedisSnapshot.Entry(
              type, key.get("ttl_ms").asLong(), values(type, key.get("value"))));
    }
    return new RedisSnapshot(dumped().toEpochMilli(), entries);
  }

  private static List<byte[]> values(String type, JsonNode value) {
    List<byte[]> values = new ArrayList<>();
    switch (type) {
      case "string" -> values.add(bytes(value));
      case "list", "set" -> value.forEach(item -> values.add(bytes(item)));
      case "zset" ->
          value.forEach(
              item -> {
                values.add(HexFormat.of().parseHex(item.get("member_hex").asString()));
                values.add(item.get("score").asString().getBytes(StandardCharsets.UTF_8));
              });
      case "hash" ->
          value
              .properties()
              .forEach(
                  field -> {
                    values.add(field.getKey().getBytes(StandardCharsets.UTF_8));
                    values.add(bytes(field.getValue()));
                  });
      default -> throw new IllegalStateException("unknown type " + type);
    }
    return values;
  }

  private static byte[] bytes(JsonNode value) {
    return HexFormat.of().parseHex(value.get("hex").asString());
  }

  /** Puts all of it into an empty Redis. */
  void restore(TestRedis server) {
    try (Connection connection = TestRedis.connect(server.primaries().get(0))) {
      snapshot()
          .entries()
          .forEach((key, entry) -> RedisSnapshot.put(connection, key, withLongerLife(entry)));
    }
  }

  private static RedisSnapshot.Entry withLongerLife(RedisSnapshot.Entry entry) {
    return entry.ttlMillis() < 0
        ? entry
        : new RedisSnapshot.Entry(
            entry.type(), Math.max(entry.ttlMillis(), SHORTEST_TTL_MILLIS), entry.values());
  }

  /** A task as it is stored. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record StoredTask(QueueName queue, String id, TaskState state, byte[] message) {}

  public List<StoredTask> tasks() {
    List<StoredTask> tasks = new ArrayList<>();
    snapshot()
        .entries()
        .forEach(
            (key, entry) -> {
              int place = key.indexOf("}:t:");
              if (place > 0) {
                Map<String, byte[]> fields = entry.pairs();
                tasks.add(
                    new StoredTask(
                        QueueName.of(key.substring("asynq:{".length(), place)),
                        key.substring(place + "}:t:".length()),
                        TaskState.ofWord(
                            RedisSnapshot.text(Objects.requireNonNull(fields.get("state")))),
                        Objects.requireNonNull(fields.get("msg"))));
              }
            });
    return tasks;
  }

  /** The same message with its headers in order; Go writes them in any. */
  public static byte[] inOrder(byte[] message) {
    try {
      WireTask task = WireTask.parseFrom(message);
      return task.toBuilder()
          .clearHeaders()
          .putAllHeaders(new TreeMap<>(task.getHeadersMap()))
          .build()
          .toByteArray();
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
