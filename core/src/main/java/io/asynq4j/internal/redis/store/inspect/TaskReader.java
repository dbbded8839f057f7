package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.redis.codec.FailuresField;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.codec.UnreadableMessageException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.watch.RedisStoreWatch;
import io.asynq4j.internal.text.UrlSafeText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** Redis implementation of reading tasks. */
public record TaskReader(ScriptRunner scripts, RedisCommandExecutor link, QueueReader queues)
    implements TaskInspection {

  /** Maximum number of queues per round trip. */
  private static final int MOST_QUEUES = 1_000;

  private static final int COUNTED_AT_ONCE = 500;

  @Override
  public TaskInfo task(QueueName queue, String id) {
    return info(row(queue, id));
  }

  TaskRow row(QueueName queue, String id) {
    List<@Nullable Object> reply = scripts.runList(Script.TASK, queue, new CommandArgs(1).add(id));
    if (reply.isEmpty()) {
      // Checked only now: in a cluster, another server may have the queue names.
      queues.requireQueue(queue);
      throw new TaskNotFoundException(queue, id);
    }
    Instant now = TaskRow.time(reply.get(0));
    String score = ReplyParser.text(reply.get(1));
    List<@Nullable Object> fields = reply.subList(2, reply.size());
    try {
      TaskState state = TaskState.ofWord(ReplyParser.text(fields.get(TaskRow.STATE)));
      return new TaskRow(queue, id, state, now, score, score, fields);
    } catch (IllegalArgumentException e) {
      throw new TaskStateException(queue, id, "has an unknown state: " + e.getMessage());
    }
  }

  static TaskInfo info(TaskRow row) {
    try {
      return row.info();
    } catch (UnreadableMessageException e) {
      throw unreadable(row, e);
    }
  }

  @Override
  public List<FailedAttempt> failures(QueueName queue, String id) {
    String key = RedisKeys.task(queue, id);
    List<@Nullable Object> fields =
        ReplyParser.list(link.callSafe(Command.HMGET, key, "msg", FailuresField.NAME));
    if (fields.get(0) == null) {
      queues.requireQueue(queue);
      throw new TaskNotFoundException(queue, id);
    }
    return FailuresField.decode(ReplyParser.bytes(fields.get(1)));
  }

  @Override
  public long count(QueueName queue, Collection<String> ids) {
    long count = 0;
    for (List<String> batch : BatchSplitter.of(List.copyOf(ids), COUNTED_AT_ONCE)) {
      CommandArgs args = new CommandArgs(batch.size());
      batch.forEach(id -> args.add(RedisKeys.task(queue, id)));
      count +=
          ReplyParser.number(
              link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.EXISTS, args));
    }
    return count;
  }

  @Override
  public List<QueueName> having(Collection<QueueName> candidates, String id) {
    List<QueueName> having = new ArrayList<>();
    for (RedisStoreWatch.Shard shard : RedisStoreWatch.shards(link, candidates)) {
      for (List<QueueName> some : BatchSplitter.of(shard.queues(), MOST_QUEUES)) {
        List<CommandArguments> commands =
            some.stream()
                .map(queue -> new CommandArguments(Command.EXISTS).add(RedisKeys.task(queue, id)))
                .toList();
        List<@Nullable Object> answers = link.callAll(shard.slot(), commands);
        for (int i = 0; i < some.size(); i++) {
          // Anything but a number is an error, such as the redirect of a migrated slot; the next
          // read reports it.
          if (!(answers.get(i) instanceof Long count) || count > 0) {
            having.add(some.get(i));
          }
        }
      }
    }
    return having;
  }

  @Override
  public Stored stored(QueueName queue, String id) {
    TaskRow row = row(queue, id);
    TaskMessage message = message(row).withGroup(row.group());
    Instant due =
        row.state() == TaskState.SCHEDULED || row.state() == TaskState.RETRY
            ? row.nextProcessAt()
            : null;
    return new Stored(message, row.state(), due, lockLeft(message));
  }

  static TaskMessage message(TaskRow row) {
    try {
      return MessageCodec.decode(row.message(), row.queue(), row.id());
    } catch (UnreadableMessageException e) {
      throw unreadable(row, e);
    }
  }

  private static TaskStateException unreadable(TaskRow row, UnreadableMessageException e) {
    return new TaskStateException(row.queue(), row.id(), "cannot be read: " + e.getMessage());
  }

  private @Nullable Duration lockLeft(TaskMessage message) {
    String lock = message.uniqueKey();
    if (lock.isEmpty()
        || !ReplyParser.text(link.callSafe(Command.GET, lock)).equals(message.id())) {
      return null;
    }
    long millis = ReplyParser.number(link.callSafe(Command.PTTL, lock));
    return millis > 0 ? Duration.ofMillis(millis) : null;
  }

  @Override
  public long ahead(QueueName queue, String id) {
    String key = RedisKeys.of(queue, TaskState.PENDING.word());
    long size = ReplyParser.number(link.callSafe(Command.LLEN, key));
    Object index = link.callSafe(Command.LPOS, key, id, "RANK", -1, "MAXLEN", AHEAD_AT_MOST);
    if (index == null) {
      return size > AHEAD_AT_MOST ? AHEAD_AT_MOST : -1;
    }
    return Math.max(0, size - 1 - ReplyParser.number(index));
  }

  @Override
  public TaskPage list(QueueName queue, Listing listing) {
    queues.requireQueue(queue);
    List<TaskInfo> tasks = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    Listing rest = listing;
    while (true) {
      Slice slice = slice(queue, rest);
      for (TaskRow row : slice.rows()) {
        try {
          tasks.add(row.info());
        } catch (UnreadableMessageException e) {
          unreadable.add(row.id());
        }
      }
      int read = tasks.size() + unreadable.size();
      int left = listing.limit() - read;
      if (slice.next() == null || left == 0) {
        return TaskPage.of(tasks, read, slice.total(), slice.next(), unreadable);
      }
      rest = new Listing(rest.state(), rest.group(), rest.newestFirst(), 0, left, slice.next());
    }
  }

  /**
   * Result of one script call, limited by the batch size.
   *
   * @param next the cursor of the rest; null if there is none
   */
  record Slice(List<TaskRow> rows, long total, @Nullable String next) {}

  Slice slice(QueueName queue, Listing listing) {
    boolean isList = listing.state() == TaskState.PENDING || listing.state() == TaskState.ACTIVE;
    Cursor after = Cursor.parse(listing.cursor());
    int limit = Math.min(listing.limit(), BatchSplitter.MAX);
    CommandArgs args =
        new CommandArgs(7)
            .add(container(queue, listing))
            .add(isList ? listing.state().word() : "set")
            .add(listing.newestFirst())
            .add(listing.offset())
            .add(limit)
            .add(after.id())
            .add(after.place());
    List<@Nullable Object> reply = scripts.runList(Script.LIST, queue, args);
    Instant now = TaskRow.time(reply.get(0));
    long total = ReplyParser.number(reply.get(1));
    long offset = ReplyParser.number(reply.get(2));
    List<TaskRow> rows = new ArrayList<>();
    for (int i = 3; i < reply.size(); i += 3 + TaskRow.FIELDS) {
      rows.add(
          new TaskRow(
              queue,
              ReplyParser.text(reply.get(i)),
              listing.state(),
              now,
              ReplyParser.text(reply.get(i + 1)),
              ReplyParser.text(reply.get(i + 2)),
              reply.subList(i + 3, i + 3 + TaskRow.FIELDS)));
    }
    // Fewer tasks than requested may also mean that the byte limit was reached.
    long end = offset + rows.size();
    if (rows.isEmpty() || end >= total) {
      return new Slice(rows, total, null);
    }
    TaskRow last = rows.get(rows.size() - 1);
    Cursor next = new Cursor(last.id(), isList ? Long.toString(end) : last.score());
    return new Slice(rows, total, next.text());
  }

  private static String container(QueueName queue, Listing listing) {
    return listing.group() == null
        ? RedisKeys.of(queue, listing.state().word())
        : RedisKeys.group(queue, listing.group());
  }

  /** The last task of a page and its position; opaque to callers. */
  private record Cursor(String id, String place) {

    String text() {
      return UrlSafeText.encode(place + " " + id);
    }

    static Cursor parse(@Nullable String text) {
      if (text == null) {
        return new Cursor("", "");
      }
      try {
        String[] parts = UrlSafeText.decode(text).split(" ", 2);
        return new Cursor(parts[1], parts[0]);
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        throw new IllegalArgumentException("invalid page cursor \"" + text + "\"", e);
      }
    }
  }
}
