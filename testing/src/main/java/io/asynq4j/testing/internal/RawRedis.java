package io.asynq4j.testing.internal;

import io.asynq4j.QueueName;
import io.asynq4j.embedded.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** Plain commands to the Redis of the test kit. Thread-safe. */
final class RawRedis {

  /**
   * Lists and registers queues. Keys such as "pending" tell the name, which may contain "}:"; those
   * of single tasks do not.
   */
  private static final String QUEUES =
      """
      local names, seen = {}, {}
      for _, key in ipairs(redis.call('KEYS', 'asynq:{*}:[a-z][a-z]*')) do
        local name = string.match(key, '^asynq:{(.+)}:[%l_]+$')
        if name and not seen[name] then
          seen[name] = true
          names[#names + 1] = name
          redis.call('SADD', 'asynq:queues', name)
        end
      end
      return names
      """;

  private static final String PENDING_SINCE =
      """
      local since = {}
      for i = 1, #ARGV do
        local prefix = 'asynq:{' .. ARGV[i] .. '}:'
        local head = redis.call('LINDEX', prefix .. 'pending', -1)
        since[i] = head and (redis.call('HGET', prefix .. 't:' .. head, 'pending_since') or '0') or ''
      end
      return since
      """;

  private final HostAndPort address;
  private Connection connection;

  RawRedis(EmbeddedRedis redis) {
    this.address = new HostAndPort(redis.host(), redis.port());
    this.connection = connect(address);
  }

  /** A busy machine must not fail tests. */
  static Connection connect(HostAndPort address) {
    return new Connection(
        address,
        DefaultJedisClientConfig.builder()
            .timeoutMillis((int) TestRedis.PATIENCE.toMillis())
            .build());
  }

  synchronized @Nullable Object call(Command command, String... args) {
    CommandArguments all = new CommandArguments(command);
    Stream.of(args).forEach(all::add);
    if (connection.isBroken()) {
      connection.close();
      connection = connect(address);
    }
    return connection.executeCommand(all);
  }

  /** Returns a text; null if there is none. */
  @Nullable String text(Command command, String... args) {
    return call(command, args) instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : null;
  }

  long number(Command command, String... args) {
    return call(command, args) instanceof Long number ? number : 0;
  }

  @Nullable Object eval(String script, String... args) {
    return call(
        Command.EVAL,
        Stream.concat(Stream.of(script, "0"), Stream.of(args)).toArray(String[]::new));
  }

  void flush() {
    call(Command.FLUSHALL);
  }

  /**
   * Returns the queues that have data, in order of their names. Registers those that are missing in
   * the list of queues: a connection that registered one before Redis was emptied does not repeat
   * it for a while.
   */
  List<QueueName> queues() {
    return texts(eval(QUEUES)).stream().sorted().map(QueueName::of).toList();
  }

  /** Returns since when the first task of each queue is pending; an empty text if there is none. */
  List<String> pendingSince(List<QueueName> queues) {
    return texts(eval(PENDING_SINCE, queues.stream().map(QueueName::value).toArray(String[]::new)));
  }

  /** Returns the lowest score of a sorted set. */
  Optional<Double> lowestScore(String key) {
    return scoreAt(key, "0");
  }

  /** Returns the highest score of a sorted set. */
  Optional<Double> highestScore(String key) {
    return scoreAt(key, "-1");
  }

  private Optional<Double> scoreAt(String key, String rank) {
    List<String> found = texts(call(Command.ZRANGE, key, rank, rank, "WITHSCORES"));
    return found.isEmpty() ? Optional.empty() : Optional.of(Double.valueOf(found.get(1)));
  }

  private static List<String> texts(@Nullable Object reply) {
    List<?> values = reply instanceof List<?> list ? list : List.of();
    return values.stream().map(each -> new String((byte[]) each, StandardCharsets.UTF_8)).toList();
  }
}
