package io.asynq4j.internal.redis.store;

import io.asynq4j.AfterCancel;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.FailedAttempt;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.QueueNotFoundException;
import io.asynq4j.RateLimit;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.codec.FailuresField;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.RateField;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.codec.UnreadableMessageException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisInfo;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.watch.RedisStoreWatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** Looks into Redis. */
final class RedisInspection implements Inspection {

  private static final Logger log = LoggerFactory.getLogger(RedisInspection.class);

  /** What is asked for in one round trip. */
  private static final int MOST_QUEUES = 1_000;

  private static final int TASK_SAMPLE = 20;
  private static final int GROUP_SAMPLE = 5;
  private static final int COUNTED_AT_ONCE = 500;

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final OperatorActions actions;
  private final AtomicBoolean toldOfMemory = new AtomicBoolean();
  private final UnreadableDataLog unreadables = new UnreadableDataLog();

  RedisInspection(
      ScriptRunner scripts,
      RedisCommandExecutor link,
      BrokerTime time,
      QueueRegistry registry,
      RedisAggregation aggregation,
      RedisUpkeep upkeep) {
    this.scripts = scripts;
    this.link = link;
    this.time = time;
    this.actions = new OperatorActions(scripts, link, registry, this, aggregation, upkeep);
  }

  @Override
  public Set<String> queues() {
    Set<String> queues = new TreeSet<>();
    CommandArgs args = new CommandArgs().add(RedisKeys.QUEUES);
    for (Object name :
        ReplyParser.list(link.call(RedisKeys.QUEUES, ResendPolicy.SAFE, Command.SMEMBERS, args))) {
      queues.add(ReplyParser.text(name));
    }
    return queues;
  }

  @Override
  public void requireQueue(QueueName queue) {
    CommandArgs args = new CommandArgs().add(RedisKeys.QUEUES).add(queue.value());
    if (ReplyParser.number(link.call(RedisKeys.QUEUES, ResendPolicy.SAFE, Command.SISMEMBER, args))
        == 0) {
      throw new QueueNotFoundException(queue);
    }
  }

  @Override
  public QueueStats stats(QueueName queue) {
    requireQueue(queue);
    return statsOfListed(queue);
  }

  @Override
  public QueueStats statsOfListed(QueueName queue) {
    List<@Nullable Object> reply =
        ReplyParser.list(scripts.run(Script.QUEUE_STATS, queue, new CommandArgs()));
    Map<TaskState, Long> sizes = new EnumMap<>(TaskState.class);
    TaskState[] order = {
      TaskState.PENDING,
      TaskState.ACTIVE,
      TaskState.SCHEDULED,
      TaskState.RETRY,
      TaskState.ARCHIVED,
      TaskState.COMPLETED,
      TaskState.AGGREGATING
    };
    for (int i = 0; i < order.length; i++) {
      sizes.put(order[i], ReplyParser.number(reply.get(1 + i)));
    }
    return new QueueStats(
        queue,
        TaskRow.time(reply.get(0)),
        sizes,
        ReplyParser.number(reply.get(8)),
        counter(RedisKeys.prefix(queue) + "processed of today", reply.get(9)),
        counter(RedisKeys.prefix(queue) + "failed of today", reply.get(10)),
        counter(RedisKeys.of(queue, "processed"), reply.get(11)),
        counter(RedisKeys.of(queue, "failed"), reply.get(12)),
        ReplyParser.number(reply.get(13)) == 1,
        TaskRow.ofNanos(ReplyParser.text(reply.get(14))));
  }

  @Override
  public OptionalLong memoryUsage(QueueName queue) {
    requireQueue(queue);
    try {
      CommandArgs args = new CommandArgs(2).add(TASK_SAMPLE).add(GROUP_SAMPLE);
      return OptionalLong.of(ReplyParser.number(scripts.run(Script.MEMORY, queue, args)));
    } catch (BrokerRefusedException e) {
      if (toldOfMemory.compareAndSet(false, true)) {
        log.warn(
            "memory usage of queues is not shown: this Redis does not allow MEMORY USAGE ({})",
            e.getMessage());
      }
      return OptionalLong.empty();
    }
  }

  @Override
  public List<DailyStats> history(QueueName queue, int days) {
    if (days < 1) {
      throw new IllegalArgumentException("the number of days must be positive: " + days);
    }
    requireQueue(queue);
    LocalDate today = LocalDate.ofInstant(time.clock().instant(), ZoneOffset.UTC);
    CommandArgs args = new CommandArgs(days * 2);
    for (int i = 0; i < days; i++) {
      LocalDate date = today.minusDays(i);
      args.add(RedisKeys.processedOn(queue, date)).add(RedisKeys.failedOn(queue, date));
    }
    List<@Nullable Object> counters =
        ReplyParser.list(link.call(RedisKeys.prefix(queue), ResendPolicy.SAFE, Command.MGET, args));
    List<DailyStats> history = new ArrayList<>(days);
    for (int i = 0; i < days; i++) {
      LocalDate date = today.minusDays(i);
      history.add(
          new DailyStats(
              date,
              counter(RedisKeys.processedOn(queue, date), counters.get(2 * i)),
              counter(RedisKeys.failedOn(queue, date), counters.get(2 * i + 1))));
    }
    return history;
  }

  /** A counter that is not a number must not hide the queue or its other days. */
  private long counter(String key, @Nullable Object reply) {
    try {
      return ReplyParser.number(reply);
    } catch (NumberFormatException e) {
      unreadables.warn("the counter " + key, e, "it is shown as 0");
      return 0;
    }
  }

  @Override
  public Map<String, Long> groupSizes(QueueName queue) {
    List<@Nullable Object> reply =
        ReplyParser.list(scripts.run(Script.GROUP_STATS, queue, new CommandArgs()));
    Map<String, Long> sizes = new TreeMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      sizes.put(ReplyParser.text(reply.get(i)), ReplyParser.number(reply.get(i + 1)));
    }
    return sizes;
  }

  @Override
  public TaskInfo task(QueueName queue, String id) {
    return info(row(queue, id));
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

  static TaskInfo info(TaskRow row) {
    try {
      return row.info();
    } catch (UnreadableMessageException e) {
      throw new TaskStateException(row.queue(), row.id(), "cannot be read: " + e.getMessage());
    }
  }

  @Override
  public List<QueueName> having(Collection<QueueName> queues, String id) {
    List<QueueName> having = new ArrayList<>();
    for (RedisStoreWatch.Shard shard : RedisStoreWatch.shards(link, queues)) {
      for (List<QueueName> some : BatchSplitter.of(shard.queues(), MOST_QUEUES)) {
        List<CommandArguments> commands =
            some.stream()
                .map(queue -> new CommandArguments(Command.EXISTS).add(RedisKeys.task(queue, id)))
                .toList();
        List<@Nullable Object> answers = link.callAll(shard.slot(), commands);
        for (int i = 0; i < some.size(); i++) {
          // No number is an error, such as that of a slot that has moved: who looks finds out.
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
    try {
      TaskMessage message = MessageCodec.decode(row.message(), queue, id).withGroup(row.group());
      Instant due =
          row.state() == TaskState.SCHEDULED || row.state() == TaskState.RETRY
              ? row.nextProcessAt()
              : null;
      return new Stored(message, row.state(), due, lockLeft(message));
    } catch (UnreadableMessageException e) {
      throw new TaskStateException(queue, id, "cannot be read: " + e.getMessage());
    }
  }

  private @Nullable Duration lockLeft(TaskMessage message) {
    String lock = message.uniqueKey();
    if (lock.isEmpty()) {
      return null;
    }
    CommandArgs args = new CommandArgs().add(lock);
    if (!ReplyParser.text(link.call(lock, ResendPolicy.SAFE, Command.GET, args))
        .equals(message.id())) {
      return null;
    }
    long millis = ReplyParser.number(link.call(lock, ResendPolicy.SAFE, Command.PTTL, args));
    return millis > 0 ? Duration.ofMillis(millis) : null;
  }

  @Override
  public long ahead(QueueName queue, String id) {
    String key = RedisKeys.of(queue, TaskState.PENDING.word());
    long size =
        ReplyParser.number(
            link.call(key, ResendPolicy.SAFE, Command.LLEN, new CommandArgs().add(key)));
    CommandArgs args =
        new CommandArgs(6).add(key).add(id).add("RANK").add(-1).add("MAXLEN").add(AHEAD_AT_MOST);
    Object index = link.call(key, ResendPolicy.SAFE, Command.LPOS, args);
    if (index == null) {
      return size > AHEAD_AT_MOST ? AHEAD_AT_MOST : -1;
    }
    return Math.max(0, size - 1 - ReplyParser.number(index));
  }

  TaskRow row(QueueName queue, String id) {
    List<@Nullable Object> reply =
        ReplyParser.list(scripts.run(Script.TASK, queue, new CommandArgs(1).add(id)));
    if (reply.isEmpty()) {
      // Only now: in a cluster, another server may have the names of queues.
      requireQueue(queue);
      throw new TaskNotFoundException(queue, id);
    }
    String score = ReplyParser.text(reply.get(1));
    try {
      return TaskRow.of(queue, id, null, TaskRow.time(reply.get(0)), score, score, reply, 2);
    } catch (IllegalArgumentException e) {
      throw new TaskStateException(queue, id, "is in a state of its own: " + e.getMessage());
    }
  }

  @Override
  public Page list(QueueName queue, Listing listing) {
    requireQueue(queue);
    List<TaskInfo> tasks = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    Listing rest = listing;
    long total;
    Cursor cursor;
    do {
      Slice slice = slice(queue, rest);
      for (TaskRow row : slice.rows()) {
        try {
          tasks.add(row.info());
        } catch (UnreadableMessageException e) {
          unreadable.add(row.id());
        }
      }
      total = slice.total();
      cursor = slice.next();
      int left = listing.limit() - tasks.size() - unreadable.size();
      if (cursor == null || left == 0) {
        break;
      }
      rest = new Listing(rest.state(), rest.group(), rest.newestFirst(), 0, left, cursor.text());
    } while (true);
    return new Page(tasks, total, cursor == null ? null : cursor.text(), unreadable);
  }

  /** What one call of the script gives: at most so many as a call may carry. */
  record Slice(List<TaskRow> rows, long total, @Nullable Cursor next) {}

  Slice slice(QueueName queue, Listing listing) {
    boolean isList = listing.state() == TaskState.PENDING || listing.state() == TaskState.ACTIVE;
    Cursor after = listing.cursor() == null ? null : Cursor.parse(listing.cursor());
    int limit = Math.min(listing.limit(), BatchSplitter.MAX);
    CommandArgs args =
        new CommandArgs(7)
            .add(container(queue, listing))
            .add(isList ? listing.state().word() : "set")
            .add(listing.newestFirst())
            .add(listing.offset())
            .add(limit)
            .add(after == null ? "" : after.id())
            .add(after == null ? "" : after.place());
    List<@Nullable Object> reply = ReplyParser.list(scripts.run(Script.LIST, queue, args));
    Instant now = TaskRow.time(reply.get(0));
    long total = ReplyParser.number(reply.get(1));
    long offset = ReplyParser.number(reply.get(2));
    List<TaskRow> rows = new ArrayList<>();
    for (int i = 3; i < reply.size(); i += 3 + TaskRow.FIELDS) {
      rows.add(
          TaskRow.of(
              queue,
              ReplyParser.text(reply.get(i)),
              listing.state(),
              now,
              ReplyParser.text(reply.get(i + 1)),
              ReplyParser.text(reply.get(i + 2)),
              reply,
              i + 3));
    }
    // Fewer than were asked for may also be many bytes.
    boolean isLast = rows.isEmpty() || offset + rows.size() >= total;
    TaskRow last = rows.isEmpty() ? null : rows.get(rows.size() - 1);
    if (isLast || last == null) {
      return new Slice(rows, total, null);
    }
    String place = isList ? Long.toString(offset + rows.size()) : last.score();
    return new Slice(rows, total, new Cursor(last.id(), place));
  }

  private static String container(QueueName queue, Listing listing) {
    return listing.group() == null
        ? RedisKeys.of(queue, listing.state().word())
        : RedisKeys.group(queue, listing.group());
  }

  /** The last task of a page, and the place where it stood; opaque to callers. */
  record Cursor(String id, String place) {

    String text() {
      byte[] plain = (place + " " + id).getBytes(StandardCharsets.UTF_8);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(plain);
    }

    static Cursor parse(String text) {
      try {
        String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
        int space = plain.indexOf(' ');
        return new Cursor(plain.substring(space + 1), plain.substring(0, space));
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        throw new IllegalArgumentException("not a cursor of a page: \"" + text + "\"", e);
      }
    }
  }

  @Override
  public void markCancelled(QueueName queue, String id, AfterCancel after) {
    CommandArgs args = new CommandArgs(2).add(id).add(after.name().toLowerCase(Locale.ROOT));
    scripts.run(Script.CANCEL, queue, args);
  }

  @Override
  public List<ActionAnswer> run(QueueName queue, List<String> ids) {
    return actions.run(queue, ids);
  }

  @Override
  public Archived archive(
      QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull) {
    return actions.archive(queue, ids, rules, whenFull);
  }

  @Override
  public List<ActionAnswer> delete(QueueName queue, List<String> ids) {
    return actions.delete(queue, ids);
  }

  @Override
  public boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition) {
    return actions.deleteIf(queue, id, condition);
  }

  @Override
  public List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due) {
    return actions.reschedule(queue, ids, due);
  }

  @Override
  public int runAll(
      QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return actions.all(queue, state, group, ids -> actions.run(queue, ids), progress);
  }

  @Override
  public ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      IntConsumer progress) {
    return actions.archiveAll(queue, state, group, rules, whenFull, progress);
  }

  @Override
  public int deleteAll(
      QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return actions.deleteAll(queue, state, group, progress);
  }

  @Override
  public void removeQueue(QueueName queue, boolean force) {
    actions.removeQueue(queue, force);
  }

  @Override
  public void updatePayload(QueueName queue, String id, Payload payload) {
    update(
        queue,
        id,
        stored ->
            stored.withPayload(
                payload,
                stored.uniqueKey().isEmpty()
                    ? ""
                    : RedisKeys.unique(queue, stored.type(), payload)));
  }

  @Override
  public void updateHeaders(
      QueueName queue, String id, UnaryOperator<Map<String, String>> newHeaders) {
    update(
        queue,
        id,
        stored ->
            stored.withHeaders(
                // Where headers are checked.
                Task.of("headers").withHeaders(newHeaders.apply(stored.headers())).headers()));
  }

  private void update(QueueName queue, String id, UnaryOperator<TaskMessage> change) {
    TaskRow row = row(queue, id);
    TaskMessage stored;
    try {
      stored = MessageCodec.decode(row.message(), queue, id);
    } catch (UnreadableMessageException e) {
      throw new TaskStateException(queue, id, "cannot be read: " + e.getMessage());
    }
    TaskMessage changed = change.apply(stored);
    CommandArgs args =
        new CommandArgs(5)
            .add(id)
            .add(row.message())
            .add(MessageCodec.encode(changed))
            .add(stored.uniqueKey())
            .add(changed.uniqueKey());
    Object reply = scripts.run(Script.UPDATE, queue, args);
    if (reply instanceof Long code) {
      if (code == 0) {
        throw new TaskNotFoundException(queue, id);
      } else if (code == -1) {
        throw changedMeanwhile(queue, id);
      }
    } else if (ReplyParser.text(reply).startsWith("lock:")) {
      throw new TaskStateException(
          queue,
          id,
          "would equal the unique task " + ReplyParser.text(reply).substring("lock:".length()));
    } else {
      throw new TaskStateException(
          queue, id, "cannot be updated while it is " + ReplyParser.text(reply));
    }
  }

  static TaskStateException changedMeanwhile(QueueName queue, String id) {
    return new TaskStateException(
        queue, id, "was changed by somebody else just now; look again, then try again");
  }

  @Override
  public boolean pause(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    CommandArgs args =
        new CommandArgs().add(key).add(time.clock().instant().getEpochSecond()).add("NX");
    return link.call(key, ResendPolicy.NEVER, Command.SET, args) != null;
  }

  @Override
  public boolean resume(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    return ReplyParser.number(
            link.call(key, ResendPolicy.NEVER, Command.DEL, new CommandArgs().add(key)))
        == 1;
  }

  @Override
  public List<FailedAttempt> failures(QueueName queue, String id) {
    String key = RedisKeys.task(queue, id);
    CommandArgs args = new CommandArgs().add(key).add("msg").add(FailuresField.NAME);
    List<@Nullable Object> fields =
        ReplyParser.list(link.call(key, ResendPolicy.SAFE, Command.HMGET, args));
    if (fields.get(0) == null) {
      requireQueue(queue);
      throw new TaskNotFoundException(queue, id);
    }
    return FailuresField.decode(ReplyParser.bytes(fields.get(1)));
  }

  @Override
  public Optional<Instant> pausedSince(QueueName queue) {
    String key = RedisKeys.of(queue, "paused");
    Object since = link.call(key, ResendPolicy.SAFE, Command.GET, new CommandArgs().add(key));
    if (since == null) {
      return Optional.empty();
    }
    // Whatever it says: that it exists is what matters.
    return Optional.of(ReplyParser.second(ReplyParser.text(since)));
  }

  @Override
  public Settings settings(QueueName queue) {
    String key = RedisKeys.of(queue, "settings");
    CommandArgs args = new CommandArgs().add(key).add("max_active").add("ordered");
    args.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST);
    List<@Nullable Object> reply =
        ReplyParser.list(link.call(key, ResendPolicy.SAFE, Command.HMGET, args));
    return new Settings(
        reply.get(0) == null
            ? OptionalInt.empty()
            : OptionalInt.of(ReplyParser.integer(reply.get(0))),
        reply.get(1) == null
            ? Optional.empty()
            : Optional.of(ReplyParser.number(reply.get(1)) == 1),
        RateField.read(reply.get(2), reply.get(3), reply.get(4)));
  }

  @Override
  public Optional<Pace> pace(QueueName queue) {
    Optional<RateLimit> set = settings(queue).rate();
    String key = RedisKeys.of(queue, "bucket");
    CommandArgs args = new CommandArgs().add(key).add("tokens").add("at");
    args.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST);
    List<@Nullable Object> kept =
        ReplyParser.list(link.call(key, ResendPolicy.SAFE, Command.HMGET, args));
    RateLimit rate =
        set.or(() -> RateField.read(kept.get(2), kept.get(3), kept.get(4))).orElse(null);
    if (rate == null || rate.isUnlimited()) {
      return Optional.empty();
    }
    Instant now = time.clock().instant();
    double tokens = rate.burst();
    if (kept.get(0) != null && kept.get(1) != null) {
      long since = Math.max(0, now.toEpochMilli() - ReplyParser.number(kept.get(1)));
      double filled =
          Double.parseDouble(ReplyParser.text(kept.get(0))) + since * rate.perSecond() / 1000;
      tokens = Math.min(tokens, filled);
    }
    return Optional.of(new Pace(rate, tokens, now));
  }

  @Override
  public void set(QueueName queue, Settings settings) {
    String key = RedisKeys.of(queue, "settings");
    if (settings.equals(Settings.NONE)) {
      link.call(key, ResendPolicy.SAFE, Command.DEL, new CommandArgs().add(key));
      return;
    }
    CommandArgs set = new CommandArgs().add(key);
    CommandArgs unset = new CommandArgs().add(key);
    settings
        .maxActive()
        .ifPresentOrElse(n -> set.add("max_active").add(n), () -> unset.add("max_active"));
    settings
        .ordered()
        .ifPresentOrElse(on -> set.add("ordered").add(on), () -> unset.add("ordered"));
    settings
        .rate()
        .ifPresentOrElse(
            rate -> RateField.addFields(set, rate),
            () -> unset.add(RateField.TASKS).add(RateField.MILLIS).add(RateField.BURST));
    link.call(key, ResendPolicy.SAFE, Command.HSET, set);
    if (unset.size() > 1) {
      link.call(key, ResendPolicy.SAFE, Command.HDEL, unset);
    }
  }

  @Override
  public int slot(QueueName queue) {
    return RedisKeys.slot(RedisKeys.prefix(queue));
  }

  @Override
  public List<String> nodes(QueueName queue) {
    int slot = slot(queue);
    List<@Nullable Object> ranges;
    try {
      ranges =
          ReplyParser.list(
              link.call(slot, ResendPolicy.SAFE, Command.CLUSTER, new CommandArgs().add("SLOTS")));
    } catch (BrokerRefusedException e) {
      return List.of();
    }
    for (Object each : ranges) {
      List<@Nullable Object> range = ReplyParser.list(each);
      if (ReplyParser.number(range.get(0)) <= slot && slot <= ReplyParser.number(range.get(1))) {
        return range.subList(2, range.size()).stream().map(RedisInspection::address).toList();
      }
    }
    return List.of();
  }

  private static String address(@Nullable Object node) {
    List<@Nullable Object> parts = ReplyParser.list(node);
    return ReplyParser.text(parts.get(0)) + ":" + ReplyParser.number(parts.get(1));
  }

  @Override
  public Map<String, String> redisInfo() {
    return RedisInfo.askWithCluster(link);
  }
}
