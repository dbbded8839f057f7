package io.asynq4j.internal.redis.store.schedule;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.ScheduleLedger.Entry;
import io.asynq4j.internal.broker.ScheduleLedger.State;
import io.asynq4j.internal.broker.ScheduleStore.Known;
import io.asynq4j.internal.redis.codec.UnreadableDataLog;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.time.TimeMath;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * The Redis fields with the spec and the state of schedule entries: one hash per queue, in the slot
 * of the queue. Thread-safe.
 */
final class ScheduleRecords {

  /**
   * The fields of an entry: its spec, its state in the order of the scripts, and a mark while it
   * moves to another queue.
   */
  static final List<String> FIELDS =
      List.of("spec", "anchor", "from", "last", "paused", "run", "leaving");

  /** The spec and state of an entry that has none. */
  static final List<String> NO_STATE = List.of("", "", "", "", "", "");

  /** Counts operator actions. Stored next to the entry names, none of which is empty. */
  static final String REVISION = "";

  private final RedisCommandExecutor link;

  /** Reports each place with unreadable data once. */
  final UnreadableDataLog unreadables = new UnreadableDataLog();

  ScheduleRecords(RedisCommandExecutor link) {
    this.link = link;
  }

  static String key(QueueName queue) {
    return RedisKeys.of(queue, "schedules");
  }

  /** Returns the values of all fields of entries of one queue, in sequence. */
  List<@Nullable Object> read(QueueName queue, List<String> names) {
    return ReplyParser.list(
        link.call(key(queue), ResendPolicy.SAFE, Command.HMGET, fields(queue, names)));
  }

  /**
   * Returns an entry; null if it has no state.
   *
   * @throws IllegalArgumentException if its state cannot be read
   */
  @Nullable Known known(String name, QueueName queue) {
    return known(name, queue, read(queue, List.of(name)));
  }

  static @Nullable Known known(String name, QueueName queue, List<@Nullable Object> values) {
    State state = state(values.subList(1, values.size()));
    return state == null
        ? null
        : new Known(new Entry(name, queue, ReplyParser.text(values.get(0))), state);
  }

  /** Returns the arguments of a command on all fields of entries of one queue. */
  static CommandArgs fields(QueueName queue, List<String> names) {
    CommandArgs args = new CommandArgs(1 + names.size() * FIELDS.size()).add(key(queue));
    names.forEach(name -> FIELDS.forEach(word -> args.add(field(word, name))));
    return args;
  }

  void delete(QueueName queue, String name) {
    try {
      link.call(key(queue), ResendPolicy.SAFE, Command.HDEL, fields(queue, List.of(name)));
    } catch (BrokerRefusedException e) {
      requireWrongType(queue, e);
    }
  }

  /**
   * Stops an entry from firing in a queue that it leaves.
   *
   * @return its spec and state there, as texts; empty texts if it has none
   */
  List<String> leave(QueueName queue, String name) {
    try {
      link.callSafe(Command.HSET, key(queue), field("leaving", name), "1");
      return ReplyParser.texts(read(queue, List.of(name)).subList(0, NO_STATE.size()));
    } catch (BrokerRefusedException e) {
      requireWrongType(queue, e);
      return NO_STATE;
    }
  }

  /** A queue whose schedule key has the wrong type must not stop the entries of other queues. */
  private void requireWrongType(QueueName queue, BrokerRefusedException e) {
    if (e.reason() != BrokerRefusedException.Reason.REQUEST) {
      throw e;
    }
    unreadables.warn(key(queue), e, "entries of queue " + queue.value() + " do not fire");
  }

  /**
   * Returns the state with these values, in the order of the scripts; null if there is none.
   *
   * @throws IllegalArgumentException if a time cannot be read
   */
  static @Nullable State state(List<@Nullable Object> values) {
    Instant from = instant(values.get(1));
    if (from == null) {
      return null;
    }
    Instant anchor = instant(values.get(0));
    return new State(
        anchor == null ? from : anchor,
        from,
        instant(values.get(2)),
        instant(values.get(3)),
        instant(values.get(4)));
  }

  private static @Nullable Instant instant(@Nullable Object millis) {
    if (millis == null) {
      return null;
    }
    String text = millis instanceof Long number ? number.toString() : ReplyParser.text(millis);
    double value = ReplyParser.decimal(text, -1);
    boolean isTime = value >= 0 && value <= TimeMath.LATEST.toEpochMilli();
    require(isTime, "not a time: \"" + text + "\"");
    return Instant.ofEpochMilli((long) value);
  }

  static String field(String word, String entry) {
    return word + ":" + entry;
  }

  /** Returns a queue in the list of entries; empty if its name is invalid. */
  static Optional<QueueName> queue(String name) {
    try {
      return Optional.of(QueueName.of(name));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
