package io.asynq4j.internal.redis.store;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.Upkeep.Recovered.Action;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
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
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol;

/** The chores, each as bounded calls. */
final class RedisUpkeep implements Upkeep {

  /** What the original stores as the error of a task whose worker vanished. */
  static final String LEASE_EXPIRED = "asynq: task lease expired";

  private static final int KEYS_PER_SCAN = 1000;
  private static final byte[] NO_MESSAGE = {};
  private static final Duration SHORTEST_AFTER_STEP = Duration.ofSeconds(10);

  /** Each is looked for in the whole list of active tasks. */
  private static final int RELISTED_TOGETHER = 10;

  private static final int MOST_RELISTED = 1000;

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final BrokerTime time;
  private final ArchiveTrimmer archives;

  RedisUpkeep(ScriptRunner scripts, RedisCommandExecutor link, BrokerTime time) {
    this.scripts = scripts;
    this.link = link;
    this.time = time;
    this.archives = new ArchiveTrimmer(scripts);
  }

  @Override
  public Forwarded forward(QueueName queue, int limit) {
    List<@Nullable Object> reply =
        ReplyParser.list(
            scripts.run(
                Script.FORWARD, queue, new CommandArgs(1).add(Math.min(limit, BatchSplitter.MAX))));
    long wait = ReplyParser.number(reply.get(1));
    // By the clock of the server that has the queue, which may differ from the one that is
    // followed.
    return new Forwarded(
        ReplyParser.integer(reply.get(0)),
        wait < 0 ? null : time.clock().instant().plusMillis(wait));
  }

  /** A task whose lease has run out, with the crash that this was counted in. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Expired(String id, String score, int place, int crashes, byte[] message) {}

  /** What is to be done with it, if its lease is still as it was seen. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Recovery(
      Expired task,
      Action action,
      byte[] message,
      String lock,
      long delayMillis,
      String quarantine) {}

  @Override
  public List<Recovered> recover(
      QueueName queue, int limit, CrashRules crash, QueueRules rules, ArchiveRules archive) {
    List<Recovery> recoveries = expired(queue, limit, crash);
    if (recoveries.isEmpty()) {
      return List.of();
    }
    CommandArgs args =
        new CommandArgs(4 + recoveries.size() * 7)
            .add(rules.ordered())
            .add(archive.maxSize())
            .add(archive.maxAge().toSeconds())
            .add(archive.releaseLocks());
    for (Recovery recovery : recoveries) {
      args.add(recovery.task().id())
          .add(recovery.task().score())
          .add(recovery.action().name().toLowerCase(Locale.ROOT))
          .add(recovery.message())
          .add(recovery.lock())
          .add(recovery.delayMillis())
          .add(recovery.quarantine());
    }
    List<@Nullable Object> replies = ReplyParser.list(scripts.run(Script.RECOVER, queue, args));
    List<Recovered> recovered = new ArrayList<>();
    for (int i = 0; i < recoveries.size(); i++) {
      if (ReplyParser.number(replies.get(i)) == 1) {
        recovered.add(new Recovered(recoveries.get(i).task().id(), recoveries.get(i).action()));
      }
    }
    archives.trimOn(
        queue, recoveries.size(), ReplyParser.integer(replies.get(recoveries.size())), archive);
    return recovered;
  }

  private List<Recovery> expired(QueueName queue, int limit, CrashRules crash) {
    CommandArgs args =
        new CommandArgs(2)
            .add(Math.min(limit, BatchSplitter.MAX))
            .add(WholeSeconds.ceil(crash.goGrace()));
    long sent = time.nanoTime();
    List<@Nullable Object> reply = ReplyParser.list(scripts.run(Script.EXPIRED, queue, args));
    String shard = link.shardOf(RedisKeys.slot(RedisKeys.prefix(queue)));
    if (time.hasStepped(shard, queue, TaskRow.time(reply.get(0)), sent, afterStep(crash))) {
      // Those who are alive extend their leases first; what has really run out can wait.
      return List.of();
    }
    List<Expired> found = new ArrayList<>(reply.size() / 5);
    for (int i = 1; i < reply.size(); i += 5) {
      found.add(
          new Expired(
              ReplyParser.text(reply.get(i)),
              ReplyParser.text(reply.get(i + 1)),
              ReplyParser.integer(reply.get(i + 2)),
              ReplyParser.count(reply.get(i + 3)) + 1,
              ReplyParser.bytes(reply.get(i + 4))));
    }
    // Each is put before the others: with the newest first, they stand as they stood.
    found.sort(Comparator.comparingInt(Expired::place));
    return found.stream().map(task -> decide(queue, task, crash)).toList();
  }

  /** Long enough for every server to extend its leases, as for those with other clocks. */
  private static Duration afterStep(CrashRules crash) {
    return crash.goGrace().compareTo(SHORTEST_AFTER_STEP) > 0
        ? crash.goGrace()
        : SHORTEST_AFTER_STEP;
  }

  private Recovery decide(QueueName queue, Expired task, CrashRules crash) {
    if (task.message().length == 0) {
      return new Recovery(task, Action.DROP, NO_MESSAGE, "", 0, "");
    }
    TaskMessage failed;
    try {
      failed =
          MessageCodec.decode(task.message(), queue, task.id())
              .failed(LEASE_EXPIRED, time.clock().instant(), /* costsRetry= */ false);
    } catch (UnreadableMessageException e) {
      return new Recovery(task, Action.ARCHIVE, NO_MESSAGE, "", 0, String.valueOf(e.getMessage()));
    }
    byte[] updated = MessageCodec.encode(failed);
    String lock = failed.uniqueKey();
    if (task.crashes() >= crash.maxCrashes()) {
      return new Recovery(task, Action.ARCHIVE, updated, lock, 0, "");
    }
    if (task.crashes() == 1) {
      return new Recovery(task, Action.PENDING, updated, lock, 0, "");
    }
    long delay = crash.delay().toMillis() << Math.min(task.crashes() - 2, 16);
    return new Recovery(task, Action.RETRY, updated, lock, delay, "");
  }

  @Override
  public int expire(QueueName queue, int limit) {
    return ReplyParser.integer(
        scripts.run(
            Script.EXPIRE, queue, new CommandArgs(1).add(Math.min(limit, BatchSplitter.MAX))));
  }

  @Override
  public int trim(QueueName queue, int limit, ArchiveRules archive) {
    return archives.trim(queue, Math.min(limit, BatchSplitter.MAX), archive);
  }

  @Override
  public int repair(QueueName queue) {
    int repaired = 0;
    long listed;
    long leased;
    int offset = 0;
    do {
      List<@Nullable Object> reply =
          ReplyParser.list(
              scripts.run(
                  Script.REPAIR, queue, new CommandArgs(2).add(offset).add(BatchSplitter.MAX)));
      repaired += ReplyParser.integer(reply.get(0));
      listed = ReplyParser.number(reply.get(1));
      leased = ReplyParser.number(reply.get(2));
      offset += BatchSplitter.MAX;
    } while (offset < Math.max(listed, leased));
    return leased > listed ? repaired + relist(queue) : repaired;
  }

  /**
   * Lists running tasks that are not listed as active. Which ones, is found out here, page by page:
   * to look for each in a long list would keep Redis for too long. What changes meanwhile is looked
   * at again by the script.
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
      relisted += ReplyParser.integer(scripts.run(Script.RELIST, queue, args));
    }
    return relisted;
  }

  private void pages(String key, Protocol.Command command, Consumer<List<String>> page) {
    List<@Nullable Object> found;
    long offset = 0;
    do {
      CommandArgs args = new CommandArgs(3).add(key).add(offset).add(offset + KEYS_PER_SCAN - 1);
      found = ReplyParser.list(link.call(key, ResendPolicy.SAFE, command, args));
      page.accept(found.stream().map(ReplyParser::text).toList());
      offset += KEYS_PER_SCAN;
    } while (found.size() == KEYS_PER_SCAN);
  }

  @Override
  public int relistGroups(QueueName queue) {
    AtomicInteger listed = new AtomicInteger();
    walk(
        queue,
        "g:",
        groups -> {
          for (String group : groups) {
            CommandArgs args = new CommandArgs(1).add(group);
            listed.addAndGet(ReplyParser.integer(scripts.run(Script.LIST_GROUP, queue, args)));
          }
        });
    return listed.get();
  }

  /**
   * Walks over the keys of a queue that begin with a word, in small steps; gives what follows the
   * word.
   */
  void walk(QueueName queue, String word, Consumer<List<String>> step) {
    String prefix = RedisKeys.of(queue, word);
    String pattern = KeyspaceScanner.pattern(prefix);
    String cursor = "0";
    do {
      CommandArgs args =
          new CommandArgs().add(cursor).add("MATCH").add(pattern).add("COUNT").add(KEYS_PER_SCAN);
      List<@Nullable Object> page =
          ReplyParser.list(link.call(prefix, ResendPolicy.SAFE, Protocol.Command.SCAN, args));
      cursor = ReplyParser.text(page.get(0));
      List<@Nullable Object> keys = ReplyParser.list(page.get(1));
      if (!keys.isEmpty()) {
        step.accept(
            keys.stream().map(key -> ReplyParser.text(key).substring(prefix.length())).toList());
      }
    } while (!cursor.equals("0"));
  }
}
