package io.asynq4j.internal.redis.store.presence;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.redis.codec.PresenceCodec;
import io.asynq4j.internal.redis.codec.UnreadableDataLog;
import io.asynq4j.internal.redis.codec.WireFormatException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.time.WholeSeconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Redis implementation of presence: an expiring record per server and scheduler, and a registry of
 * each kind.
 */
public final class RedisPresence implements Presence {

  private static final String SHOWN_AS_BROKEN = "it is shown as broken";
  private static final int MOST_EVENTS = 1000;
  private static final int MOST_WORKERS = 200;
  public static final Duration HISTORY_TTL = Duration.ofDays(90);

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final UnreadableDataLog unreadables = new UnreadableDataLog();

  public RedisPresence(ScriptRunner scripts, RedisCommandExecutor link) {
    this.scripts = scripts;
    this.link = link;
  }

  @Override
  public void show(Server server, List<Worker> workers, Duration ttl) {
    String[] keys = keys(server);
    // In a cluster each key may be on another server: an unavailable one must not block the others.
    inTurn(
        () -> register(RedisKeys.SERVERS, keys[0], ttl),
        () -> register(RedisKeys.WORKERS, keys[1], ttl),
        () -> showState(server, workers, keys, ttl));
  }

  /** The keys of a server, of its workers, and of the workers that are being written. */
  private static String[] keys(Server server) {
    return new String[] {
      RedisKeys.server(server.host(), server.pid(), server.serverId()),
      RedisKeys.workers(server.host(), server.pid(), server.serverId()),
      RedisKeys.gatheredWorkers(server.host(), server.pid(), server.serverId())
    };
  }

  /** Writes few workers at a time, since each includes its payload. */
  private void showState(Server server, List<Worker> workers, String[] keys, Duration ttl) {
    byte[] info = PresenceCodec.encode(server);
    List<List<Worker>> batches = BatchSplitter.of(workers, MOST_WORKERS);
    int last = Math.max(0, batches.size() - 1);
    for (int i = 0; i <= last; i++) {
      List<Worker> batch = batches.isEmpty() ? List.of() : batches.get(i);
      String part = i == last ? "last" : i == 0 ? "first" : "next";
      CommandArgs args =
          new CommandArgs(3 + batch.size() * 2).add(WholeSeconds.ceil(ttl)).add(info);
      args.add(last == 0 ? "only" : part);
      batch.forEach(worker -> args.add(worker.taskId()).add(PresenceCodec.encode(worker)));
      scripts.run(Script.SERVER_STATE, keys, args);
    }
  }

  @Override
  public void forgetGoneSchedulers() {
    List<String> unused = live(RedisKeys.SCHEDULERS);
  }

  /**
   * Runs all parts and then throws the first failure. With a single server, one outage ends the
   * rest.
   */
  private void inTurn(Runnable... parts) {
    RuntimeException first = null;
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (BrokerException e) {
        if (e instanceof BrokerUnavailableException && !link.isKnownAsSharded()) {
          throw e;
        }
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void register(String registry, String key, Duration ttl) {
    CommandArgs args = new CommandArgs(2).add(ttl.toMillis()).add(key);
    scripts.run(Script.REGISTER, new String[] {registry}, args);
  }

  @Override
  public void hide(Server server) {
    String[] keys = keys(server);
    link.callSafe(Command.ZREM, RedisKeys.SERVERS, keys[0]);
    link.callSafe(Command.ZREM, RedisKeys.WORKERS, keys[1]);
    Stream.of(keys).forEach(key -> link.callSafe(Command.DEL, key));
  }

  @Override
  public Set<String> servedQueues(Instant now) {
    Object present =
        link.callSafe(Command.ZRANGEBYSCORE, RedisKeys.SERVERS, now.getEpochSecond(), "+inf");
    return ReplyParser.texts(present).stream()
        .flatMap(key -> readServer(key, unreadable -> {}).stream())
        .flatMap(server -> server.queues().keySet().stream())
        .collect(Collectors.toSet());
  }

  @Override
  public List<Seen> seen(Consumer<Unreadable> broken) {
    List<Seen> seen = new ArrayList<>();
    for (String key : live(RedisKeys.SERVERS)) {
      Object until = link.callSafe(Command.ZSCORE, RedisKeys.SERVERS, key);
      if (until != null) {
        readServer(key, broken)
            .ifPresent(
                server -> seen.add(new Seen(server, ReplyParser.second(ReplyParser.text(until)))));
      }
    }
    return seen;
  }

  private Optional<Server> readServer(String key, Consumer<Unreadable> broken) {
    return Optional.ofNullable(ask(key, Command.GET, new CommandArgs().add(key), broken))
        .flatMap(info -> decode(key, info, PresenceCodec::decodeServer, any -> "", broken));
  }

  @Override
  public List<Worker> workers(Consumer<Unreadable> broken) {
    List<Worker> workers = new ArrayList<>();
    for (String key : live(RedisKeys.WORKERS)) {
      List<@Nullable Object> rows =
          ReplyParser.list(ask(key, Command.HGETALL, new CommandArgs().add(key), broken));
      for (int i = 0; i < rows.size(); i += 2) {
        String taskId = ReplyParser.text(rows.get(i));
        decode(key, rows.get(i + 1), PresenceCodec::decodeWorker, any -> taskId, broken)
            .ifPresent(workers::add);
      }
    }
    return workers;
  }

  @Override
  public void showEntries(String schedulerId, List<SchedulerEntry> entries, Duration ttl) {
    String key = RedisKeys.scheduler(schedulerId);
    register(RedisKeys.SCHEDULERS, key, ttl);
    CommandArgs args = new CommandArgs(1 + entries.size()).add(WholeSeconds.ceil(ttl));
    entries.forEach(entry -> args.add(PresenceCodec.encode(entry)));
    scripts.run(Script.SCHEDULER_ENTRIES, new String[] {key}, args);
  }

  @Override
  public void hideEntries(String schedulerId) {
    String key = RedisKeys.scheduler(schedulerId);
    link.callSafe(Command.ZREM, RedisKeys.SCHEDULERS, key);
    link.callSafe(Command.DEL, key);
  }

  @Override
  public List<SchedulerEntry> schedulerEntries(Consumer<Unreadable> broken) {
    List<SchedulerEntry> entries = new ArrayList<>();
    for (String key : live(RedisKeys.SCHEDULERS)) {
      CommandArgs args = new CommandArgs().add(key).add(0).add(-1);
      for (Object entry : ReplyParser.list(ask(key, Command.LRANGE, args, broken))) {
        decode(
                key,
                entry,
                PresenceCodec::decodeSchedulerEntry,
                PresenceCodec::schedulerEntryId,
                broken)
            .ifPresent(entries::add);
      }
    }
    return entries;
  }

  @Override
  public String shardOfEvents(String entryId) {
    return link.isKnownAsSharded()
        ? link.shardOf(RedisKeys.slot(RedisKeys.schedulerHistory(entryId)))
        : "";
  }

  @Override
  public void recordEvent(String entryId, SchedulerEvent event) {
    CommandArgs args =
        new CommandArgs(4)
            .add(event.enqueuedAt().getEpochSecond())
            .add(PresenceCodec.encode(event))
            .add(MOST_EVENTS)
            .add(HISTORY_TTL.toSeconds());
    scripts.run(Script.SCHEDULER_EVENT, new String[] {RedisKeys.schedulerHistory(entryId)}, args);
  }

  @Override
  public List<SchedulerEvent> events(String entryId, int offset, int limit) {
    String key = RedisKeys.schedulerHistory(entryId);
    List<SchedulerEvent> events = new ArrayList<>();
    List<@Nullable Object> rows =
        ReplyParser.list(
            link.callSafe(Command.ZREVRANGE, key, offset, offset + limit - 1L, "WITHSCORES"));
    for (int i = 0; i < rows.size(); i += 2) {
      Instant second = ReplyParser.second(ReplyParser.text(rows.get(i + 1)));
      decode(
              key,
              rows.get(i),
              PresenceCodec::decodeSchedulerEvent,
              any -> "",
              unreadable -> events.add(new SchedulerEvent("", second, unreadable.reason())))
          .ifPresent(events::add);
    }
    return events;
  }

  private List<String> live(String registry) {
    return ReplyParser.texts(scripts.run(Script.LIVE, new String[] {registry}, new CommandArgs()));
  }

  /**
   * An unreadable row must not hide the others.
   *
   * @param id returns the ID of the task or entry in an unreadable row
   */
  private <T> Optional<T> decode(
      String key,
      @Nullable Object reply,
      Function<byte[], T> decoder,
      Function<byte[], String> id,
      Consumer<Unreadable> broken) {
    byte[] bytes = ReplyParser.bytes(reply);
    try {
      return Optional.of(decoder.apply(bytes));
    } catch (WireFormatException | IllegalArgumentException e) {
      unreadables.warn("a row of " + key, e, SHOWN_AS_BROKEN);
      broken.accept(new Unreadable(RedisKeys.ownerOf(key), id.apply(bytes), reason(e)));
      return Optional.empty();
    }
  }

  /** Reads a key; null if it does not exist. A key of another type counts as one broken row. */
  private @Nullable Object ask(
      String key, Command command, CommandArgs args, Consumer<Unreadable> broken) {
    try {
      return link.call(key, ResendPolicy.SAFE, command, args);
    } catch (BrokerRefusedException e) {
      if (e.reason() != BrokerRefusedException.Reason.REQUEST) {
        throw e;
      }
      unreadables.warn(key, e, SHOWN_AS_BROKEN);
      broken.accept(new Unreadable(RedisKeys.ownerOf(key), "", reason(e)));
      return null;
    }
  }

  private static String reason(Exception e) {
    String text = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    return e instanceof WireFormatException ? "not a valid message: " + text : text;
  }
}
