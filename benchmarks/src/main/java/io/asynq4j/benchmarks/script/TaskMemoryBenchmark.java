package io.asynq4j.benchmarks.script;

import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.benchmarks.report.Table;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** Memory of a waiting task in Redis, compared with the bytes that are stored. */
final class TaskMemoryBenchmark {

  private final BenchmarkRedis redis;
  private final ScriptBenchmarkScale scale;

  TaskMemoryBenchmark(BenchmarkRedis redis, ScriptBenchmarkScale scale) {
    this.redis = redis;
    this.scale = scale;
  }

  Table run() {
    redis.clear();
    Jedis admin = redis.admin();
    long before = used();
    TaskPreparer preparer = new TaskPreparer(redis);
    List<String> ids = preparer.pending(scale.memoryTasks());
    double held = (used() - before) / (double) ids.size();
    // All tasks have the same length, so one is representative.
    String id = ids.get(0);
    String key = preparer.key("t:" + id);
    long stored = (long) key.length() + id.length();
    for (Map.Entry<byte[], byte[]> field :
        admin.hgetAll(key.getBytes(StandardCharsets.UTF_8)).entrySet()) {
      stored += field.getKey().length + field.getValue().length;
    }
    Table table =
        new Table(
            "Memory of a waiting task",
            List.of("what", "bytes"),
            List.of(
                List.of("payload", TaskPreparer.PAYLOAD_BYTES),
                List.of("stored: name of the key, fields, values, id in the list", stored),
                List.of("held by Redis, of " + Table.text(ids.size()) + " tasks", held),
                List.of("MEMORY USAGE of one hash", admin.memoryUsage(key)),
                List.of("held, for each byte stored", held / stored)));
    redis.clear();
    return table;
  }

  private long used() {
    return Long.parseLong(redis.info("memory").getOrDefault("used_memory", "0"));
  }
}
