package io.asynq4j.internal.redis.simulation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Everything that Redis holds of a queue, read in one call: a line for each key.
 *
 * @param lines by the key without the prefix of the queue
 * @param lockMillis how long each lock lasts
 * @param lanes keys of the transport that would stay for ever
 */
record QueueDump(Map<String, String> lines, Map<String, Long> lockMillis, List<String> lanes) {

  private static final String READ =
      """
      local answer = {}
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
        local kind = redis.call('TYPE', key).ok
        local value
        if string.find(key, ':lane:', 1, true) then
          value = ''
        elseif kind == 'string' then
          value = redis.call('GET', key)
        elseif kind == 'list' then
          value = redis.call('LRANGE', key, 0, -1)
        elseif kind == 'set' then
          value = redis.call('SMEMBERS', key)
        elseif kind == 'zset' then
          value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
        else
          value = redis.call('HGETALL', key)
        end
        local left = redis.call('PTTL', key)
        answer[#answer + 1] = { key, kind, left, left < 0 and 0 or math.floor((now + left + 500) / 1000), value }
      end
      return answer
      """;

  static QueueDump of(RedisCommandExecutor link, QueueName queue) {
    String prefix = RedisKeys.prefix(queue);
    QueueDump dump = new QueueDump(new TreeMap<>(), new TreeMap<>(), new ArrayList<>());
    CommandArgs args = new CommandArgs().add(READ).add(0).add(prefix);
    for (Object each :
        ReplyParser.list(link.call(prefix, ResendPolicy.NEVER, Command.EVAL, args))) {
      List<@Nullable Object> entry = ReplyParser.list(each);
      dump.add(
          ReplyParser.text(entry.get(0)).substring(prefix.length()),
          ReplyParser.text(entry.get(1)),
          ReplyParser.number(entry.get(2)),
          ReplyParser.number(entry.get(3)),
          entry.get(4));
    }
    return dump;
  }

  private void add(String key, String kind, long millis, long until, @Nullable Object value) {
    if (key.startsWith("lane:")) {
      if (millis < 0) {
        lanes.add(key);
      }
      return;
    }
    String line =
        switch (kind) {
          case "string" -> ReplyParser.text(value);
          case "list" -> texts(value).toString();
          case "set" -> new TreeSet<>(texts(value)).toString();
          case "zset" -> scores(key, texts(value));
          default -> fields(ReplyParser.list(value));
        };
    boolean ofADay = key.startsWith("processed:") || key.startsWith("failed:");
    if (key.startsWith("unique:")) {
      lockMillis.put(key, millis);
    } else if (millis >= 0) {
      line += (ofADay ? " until " + until : " until some time");
    }
    lines.put(key, line);
  }

  private static List<String> texts(@Nullable Object value) {
    return ReplyParser.list(value).stream().map(ReplyParser::text).toList();
  }

  private static String scores(String key, List<String> flat) {
    Map<String, String> scores = new TreeMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      String score = flat.get(i + 1);
      scores.put(flat.get(i), key.equals("lease") ? ModelLease.ofScore(score).toString() : score);
    }
    return scores.toString();
  }

  private static String fields(List<@Nullable Object> flat) {
    Map<String, String> fields = new TreeMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      String name = ReplyParser.text(flat.get(i));
      fields.put(
          name,
          name.equals("msg")
              ? message(ReplyParser.bytes(flat.get(i + 1)))
              : ReplyParser.text(flat.get(i + 1)));
    }
    return fields.toString();
  }

  private static String message(byte[] bytes) {
    try {
      return ModelTask.text(WireTask.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      return "unreadable: " + e.getMessage();
    }
  }
}
