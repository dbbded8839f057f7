package io.asynq4j.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** Writes much data into Redis, faster than by enqueueing. */
final class BulkData {

  /** Copies one pending task, with other ids of the same length, which stand in its message too. */
  private static final String COPIES =
      """
      local prefix, first, count, template = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
      local record = redis.call('HGETALL', prefix .. 't:' .. template)
      for i = first, first + count - 1 do
        local id = string.format('task-%08d', i)
        for field = 2, #record, 2 do
          if record[field - 1] == 'msg' then
            local from, to = string.find(record.msg or record[field], template, 1, true)
            record.msg = record.msg or record[field]
            record[field] = string.sub(record.msg, 1, from - 1) .. id .. string.sub(record.msg, to + 1)
          end
        end
        redis.call('HSET', prefix .. 't:' .. id, unpack(record))
        redis.call('LPUSH', prefix .. 'pending', id)
      end
      """;

  private static final int CHUNK = 5_000;

  private BulkData() {}

  /** Pending tasks {@code task-00000001} and so on. */
  static void tasks(DashboardFixture on, String queue, int count) {
    String template = "task-00000000";
    on.enqueue(queue, "bulk", o -> o.id(template));
    try (Jedis jedis = on.jedis()) {
      String script = jedis.scriptLoad(COPIES);
      for (int first = 1; first < count; first += CHUNK) {
        int some = Math.min(CHUNK, count - first);
        jedis.evalsha(
            script,
            List.of("asynq:{" + queue + "}:"),
            List.of(Integer.toString(first), Integer.toString(some), template));
      }
    }
  }

  /** Queues {@code queue-0} and so on, each with an unreadable pending task. */
  static void queues(DashboardFixture on, int count) {
    try (Jedis jedis = on.jedis();
        Pipeline pipeline = jedis.pipelined()) {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String name = "queue-" + i;
        names.add(name);
        pipeline.lpush("asynq:{" + name + "}:pending", "task");
        pipeline.hset(
            "asynq:{" + name + "}:t:task",
            Map.of("state", "pending", "pending_since", "1700000000000000000"));
      }
      pipeline.sadd("asynq:queues", names.toArray(String[]::new));
      pipeline.sync();
    }
  }
}
