package io.asynq4j.internal.redis.store.task;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.clock.BrokerTime;
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
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol;

/** Redis implementation of upkeep. Each operation is a series of bounded calls. */
public record RedisUpkeep(ScriptRunner scripts, RedisCommandExecutor link, BrokerTime time)
    implements Upkeep {

  /** The error that the Go implementation stores for a task whose worker crashed. */
  private static final String LEASE_EXPIRED = "asynq: task lease expired";

  private static final int KEYS_PER_SCAN = 1000;
  private static final Duration SHORTEST_AFTER_STEP = Duration.ofSeconds(10);

  /** Each task is searched in the whole list of active tasks, which limits the batch. */
  private static final int RELISTED_TOGETHER = 10;

  private static final int MOST_RELISTED = 1000;

  @Override
  public Forwarded forward(QueueName queue, int limit) {
    List<@Nullable Object> reply =
        scripts.runList(
            Script.FORWARD, queue, new CommandArgs(1).add(Math.min(limit, BatchSplitter.MAX)));
    long wait = ReplyParser.number(reply.get(1));
    // By the clock of the queue's server, which may differ from the clock that RedisClock follows.
    return new Forwarded(
        ReplyParser.integer(reply.get(0)),
        wait < 0 ? null : time.clock().instant().plusMillis(wait));
  }

  @Override
  public List<Recovered> recover(
      QueueName queue, int limit, CrashRules crash, QueueRules rules, ArchiveRules archive) {
    List<List<@Nullable Object>> expired = expired(queue, limit, crash);
    if (expired.isEmpty()) {
      return List.of();
    }
    CommandArgs args = new CommandArgs(4 + expired.size() * 7).add(rules.ordered());
    ArchiveTrimmer.addLimits(args, archive);
    List<Recovered> recoveries = new ArrayList<>(expired.size());
    expired.forEach(task -> recoveries.add(addRecovery(args, queue, task, crash)));
    List<@Nullable Object> replies = scripts.runList(Script.RECOVER, queue, args);
    int trimmed = ReplyParser.integer(replies.get(recoveries.size()));
    ArchiveTrimmer.trimOn(scripts, queue, recoveries.size(), trimmed, archive);
    return IntStream.range(0, recoveries.size())
        .filter(i -> ReplyParser.number(replies.get(i)) == 1)
        .mapToObj(recoveries::get)
        .toList();
  }

  /**
   * Returns the tasks whose lease has expired: ID, score, place, number of crashes before this one,
   * and message of each.
   */
  private List<List<@Nullable Object>> expired(QueueName queue, int limit, CrashRules crash) {
    CommandArgs args =
        new CommandArgs(2)
            .add(Math.min(limit, BatchSplitter.MAX))
            .add(WholeSeconds.ceil(crash.goGrace()));
    long sent = time.nanoTime();
    List<@Nullable Object> reply = scripts.runList(Script.EXPIRED, queue, args);
    String shard = link.shardOf(RedisKeys.slot(RedisKeys.prefix(queue)));
    // Enough for every server to extend its leases after a clock step.
    Duration afterStep = TimeMath.max(crash.goGrace(), SHORTEST_AFTER_STEP);
    if (time.hasStepped(shard, queue, TaskRow.time(reply.get(0)), sent, afterStep)) {
      // Live workers extend their leases first; leases that really expired can wait.
      return List.of();
    }
    List<List<@Nullable Object>> tasks = new ArrayList<>(reply.size() / 5);
    for (int i = 1; i < reply.size(); i += 5) {
      tasks.add(reply.subList(i, i + 5));
    }
    // By place. Each is inserted before the others; newest first preserves the order.
    tasks.sort(Comparator.comparingInt(task -> ReplyParser.integer(task.get(2))));
    return tasks;
  }

  /** Adds the recovery of an expired task, which is valid only while its score is unchanged. */
  private Recovered addRecovery(
      CommandArgs args, QueueName queue, List<@Nullable Object> task, CrashRules crash) {
    String id = ReplyParser.text(task.get(0));
    int crashes = ReplyParser.count(task.get(3)) + 1;
    byte[] message = ReplyParser.bytes(task.get(4));
    Recovery recovery = crash.after(crashes);
    byte[] changed = {};
    String lock = "";
    String quarantine = "";
    if (message.length == 0) {
      recovery = Recovery.DROP;
    } else {
      try {
        TaskMessage failed =
            MessageCodec.decode(message, queue, id)
                .failed(LEASE_EXPIRED, time.clock().instant(), /* costsRetry= */ false);
        changed = MessageCodec.encode(failed);
        lock = failed.uniqueKey();
      } catch (UnreadableMessageException e) {
        recovery = Recovery.ARCHIVE;
        quarantine = String.valueOf(e.getMessage());
      }
    }
    Duration delay = recovery == Recovery.RETRY ? crash.delayAfter(crashes) : Duration.ZERO;
    args.add(id)
        .add(ReplyParser.bytes(task.get(1)))
        .add(recovery.name().toLowerCase(Locale.ROOT))
        .add(changed)
        .add(lock)
        .add(delay.toMillis())
        .add(quarantine);
    return new Recovered(id, recovery);
  }

  @Override
  public int expire(QueueName queue, int limit) {
    return scripts.runInt(
        Script.EXPIRE, queue, new CommandArgs(1).add(Math.min(limit, BatchSplitter.MAX)));
  }

  @Override
  public int trim(QueueName queue, int limit, ArchiveRules archive) {
    return ArchiveTrimmer.trim(scripts, queue, Math.min(limit, BatchSplitter.MAX), archive);
  }

  @Override
  public int repair(QueueName queue) {
    int repaired = 0;
    long listed;
    long leased;
    int offset = 0;
    do {
      List<@Nullable Object> reply =
          scripts.runList(
              Script.REPAIR, queue, new CommandArgs(2).add(offset).add(BatchSplitter.MAX));
      repaired += ReplyParser.integer(reply.get(0));
      listed = ReplyParser.number(reply.get(1));
      leased = ReplyParser.number(reply.get(2));
      offset += BatchSplitter.MAX;
    } while (offset < Math.max(listed, leased));
    return leased > listed ? repaired + relist(queue) : repaired;
  }

  /**
   * Adds running tasks that are missing in the active list. They are determined here, page by page,
   * since searching a long list for each task would block Redis too long. The script checks each
   * again for concurrent changes.
   */
  private int relist(QueueName queue) {
    Set<String> listed = new HashSet<>();
    pages(RedisKeys.of(queue, "active"), Protocol.Command.LRANGE, listed::addAll);
    List<String> missing = new ArrayList<>();
    pages(
        RedisKeys.of(queue, "lease"),
        Protocol.Command.ZRANGE,
        leased -> leased.stream().filter(id -> !listed.contains(id)).forEach(missing::add));
    int relisted = 0;
    for (List<String> batch :
        BatchSplitter.of(
            missing.subList(0, Math.min(missing.size(), MOST_RELISTED)), RELISTED_TOGETHER)) {
      CommandArgs args = new CommandArgs(batch.size());
      batch.forEach(args::add);
      relisted += scripts.runInt(Script.RELIST, queue, args);
    }
    return relisted;
  }

  private void pages(String key, Protocol.Command command, Consumer<List<String>> page) {
    List<String> found;
    long offset = 0;
    do {
      found = ReplyParser.texts(link.callSafe(command, key, offset, offset + KEYS_PER_SCAN - 1));
      page.accept(found);
      offset += KEYS_PER_SCAN;
    } while (found.size() == KEYS_PER_SCAN);
  }

  @Override
  public int relistGroups(QueueName queue) {
    AtomicInteger listed = new AtomicInteger();
    Consumer<String> list =
        group ->
            listed.addAndGet(
                scripts.runInt(Script.LIST_GROUP, queue, new CommandArgs(1).add(group)));
    scan(queue, "g:", groups -> groups.forEach(list));
    return listed.get();
  }

  /**
   * Scans the keys of a queue that start with {@code word}, in small steps, and passes on what
   * follows the word.
   */
  public void scan(QueueName queue, String word, Consumer<List<String>> step) {
    String prefix = RedisKeys.of(queue, word);
    String pattern = RedisKeys.pattern(prefix);
    String cursor = "0";
    do {
      List<@Nullable Object> page = scan(link, RedisKeys.slot(prefix), pattern, cursor);
      cursor = ReplyParser.text(page.get(0));
      List<String> keys = ReplyParser.texts(page.get(1));
      if (!keys.isEmpty()) {
        step.accept(keys.stream().map(key -> key.substring(prefix.length())).toList());
      }
    } while (!cursor.equals("0"));
  }

  /** Scans some keys of the server that has a slot. Returns the next cursor and the keys. */
  public static List<@Nullable Object> scan(
      RedisCommandExecutor link, int slot, String pattern, String cursor) {
    CommandArgs args =
        new CommandArgs().add(cursor).add("MATCH").add(pattern).add("COUNT").add(KEYS_PER_SCAN);
    return ReplyParser.list(link.call(slot, ResendPolicy.SAFE, Protocol.Command.SCAN, args));
  }
}
