package io.asynq4j.internal.redis.store.schedule;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.redis.codec.UnreadableDataLog;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.time.TimeMath;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * The Redis fields with the spec and the state of schedule entries: one hash per queue, in the slot
 * of the queue. Thread-safe.
 */
final class ScheduleRecords {

  /** The fields of an entry's state, in the order of the scripts. */
  static final List<String> STATE = List.of("anchor", "from", "last", "paused", "run");

  static final List<String> SPEC_AND_STATE =
      List.of("spec", "anchor", "from", "last", "paused", "run");

  /** Set while an entry moves to another queue. */
  static final String LEAVING = "leaving";

  static final List<String> STATE_AND_LEAVING =
      List.of("anchor", "from", "last", "paused", "run", LEAVING);

  /** Counts operator actions. Stored next to the entry names, none of which is empty. */
  static final String REVISION = "";

  private static final int ANCHOR = 0;
  private static final int FROM = 1;
  private static final int LAST = 2;
  private static final int PAUSED = 3;
  private static final int RUN = 4;

  private final RedisCommandExecutor link;
  private final UnreadableDataLog unreadables = new UnreadableDataLog();

  ScheduleRecords(RedisCommandExecutor link) {
    this.link = link;
  }

  /** Returns the log for unreadable data, which reports each place once. */
  UnreadableDataLog unreadables() {
    return unreadables;
  }

  static String key(QueueName queue) {
    return RedisKeys.of(queue, "schedules");
  }

  List<@Nullable Object> fields(QueueName queue, String name, List<String> words) {
    return ReplyParser.list(
        link.call(
            RedisKeys.prefix(queue),
            ResendPolicy.SAFE,
            Command.HMGET,
            fieldsOf(queue, name, words)));
  }

  static CommandArgs fieldsOf(QueueName queue, String name, List<String> words) {
    CommandArgs args = new CommandArgs(1 + words.size()).add(key(queue));
    words.forEach(word -> args.add(field(word, name)));
    return args;
  }

  void delete(QueueName queue, String name) {
    CommandArgs args = new CommandArgs().add(key(queue)).add(field(LEAVING, name));
    SPEC_AND_STATE.forEach(word -> args.add(field(word, name)));
    link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.HDEL, args);
  }

  /** A queue whose schedule key has the wrong type must not stop the entries of other queues. */
  void ifReadable(QueueName queue, Runnable call) {
    try {
      call.run();
    } catch (BrokerRefusedException e) {
      if (e.reason() != BrokerRefusedException.Reason.REQUEST) {
        throw e;
      }
      unreadables.warn(key(queue), e, "entries of queue " + queue.value() + " do not fire");
    }
  }

  /** Returns whether the values are the state of an entry, rather than of a deleted one. */
  static boolean isState(List<@Nullable Object> values) {
    return values.get(FROM) != null;
  }

  /**
   * @throws IllegalArgumentException if a time cannot be read
   */
  static State state(List<@Nullable Object> values) {
    Instant from = Objects.requireNonNull(instant(values.get(FROM)));
    Instant anchor = instant(values.get(ANCHOR));
    return new State(
        anchor == null ? from : anchor,
        from,
        instant(values.get(LAST)),
        instant(values.get(PAUSED)),
        instant(values.get(RUN)));
  }

  private static @Nullable Instant instant(@Nullable Object millis) {
    if (millis == null) {
      return null;
    }
    String text = millis instanceof Long number ? number.toString() : ReplyParser.text(millis);
    double value = ReplyParser.decimal(text, -1);
    boolean isTime = value >= 0 && value <= TimeMath.LATEST.toEpochMilli();
    if (!isTime) {
      throw new IllegalArgumentException("not a time: \"" + text + "\"");
    }
    return Instant.ofEpochMilli((long) value);
  }

  static String field(String word, String entry) {
    return word + ":" + entry;
  }

  /** Returns whether a value in the list of entries is a valid queue name. */
  static boolean isQueue(String name) {
    try {
      return !QueueName.of(name).value().isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
