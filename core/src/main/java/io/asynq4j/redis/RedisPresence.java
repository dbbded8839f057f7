package io.asynq4j.redis;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.Seconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * Presence in Redis: a record with a short life for each server and scheduler, and a registry of
 * each kind.
 */
final class RedisPresence implements Presence {

  private static final int MOST_EVENTS = 1000;
  private static final int MOST_WORKERS = 200;
  static final Duration HISTORY_TTL = Duration.ofDays(90);

  private final Scripts scripts;
  private final Link link;
  private final Unreadables unreadables = new Unreadables();

  RedisPresence(Scripts scripts, Link link) {
    this.scripts = scripts;
    this.link = link;
  }

  @Override
  public void show(Server server, List<Worker> workers, Duration ttl) {
    String serverKey = Keys.server(server.host(), server.pid(), server.serverId());
    String workersKey = Keys.workers(server.host(), server.pid(), server.serverId());
    // In a cluster each may be on another server: one that is away keeps no other from it.
    inTurn(
        () -> register(Keys.SERVERS, serverKey, ttl),
        () -> register(Keys.WORKERS, workersKey, ttl),
        () -> showState(server, workers, ttl));
  }

  /** Few workers at a time, since each brings its payload. */
  private void showState(Server server, List<Worker> workers, Duration ttl) {
    String[] keys = {
      Keys.server(server.host(), server.pid(), server.serverId()),
      Keys.workers(server.host(), server.pid(), server.serverId()),
      Keys.gatheredWorkers(server.host(), server.pid(), server.serverId())
    };
    byte[] info = PresenceCodec.encode(server);
    List<List<Worker>> batches = Batches.of(workers, MOST_WORKERS);
    int last = Math.max(0, batches.size() - 1);
    for (int i = 0; i <= last; i++) {
      List<Worker> batch = batches.isEmpty() ? List.of() : batches.get(i);
      String part = i == last ? "last" : i == 0 ? "first" : "next";
      Args args = new Args(3 + batch.size() * 2).add(Seconds.ceil(ttl)).add(info);
      args.add(last == 0 ? "only" : part);
      batch.forEach(worker -> args.add(worker.taskId()).add(PresenceCodec.encode(worker)));
      scripts.run(Script.SERVER_STATE, keys, args);
    }
  }

  @Override
  public void forgetGoneSchedulers() {
    List<String> unused = live(Keys.SCHEDULERS);
  }

  /**
   * All of them; throws the first failure when all have been tried. Where there is one server, its
   * outage is one for all.
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
    Args args = new Args(2).add(ttl.toMillis()).add(key);
    scripts.run(Script.REGISTER, new String[] {registry}, args);
  }

  @Override
  public void hide(Server server) {
    String serverKey = Keys.server(server.host(), server.pid(), server.serverId());
    String workersKey = Keys.workers(server.host(), server.pid(), server.serverId());
    unregister(Keys.SERVERS, serverKey);
    unregister(Keys.WORKERS, workersKey);
    delete(serverKey);
    delete(workersKey);
    delete(Keys.gatheredWorkers(server.host(), server.pid(), server.serverId()));
  }

  private void unregister(String registry, String key) {
    link.call(registry, Repeat.SAFE, Command.ZREM, new Args().add(registry).add(key));
  }

  private void delete(String key) {
    link.call(key, Repeat.SAFE, Command.DEL, new Args().add(key));
  }

  @Override
  public List<Server> servers() {
    List<Server> servers = new ArrayList<>();
    live(Keys.SERVERS).forEach(key -> readServer(key, servers));
    return servers;
  }

  @Override
  public Set<String> servedQueues(Instant now) {
    Args since = new Args(3).add(Keys.SERVERS).add(now.getEpochSecond()).add("+inf");
    List<Server> servers = new ArrayList<>();
    for (Object key :
        Reply.list(link.call(Keys.SERVERS, Repeat.SAFE, Command.ZRANGEBYSCORE, since))) {
      readServer(Reply.text(key), servers);
    }
    Set<String> queues = new HashSet<>();
    servers.forEach(server -> queues.addAll(server.queues().keySet()));
    return queues;
  }

  @Override
  public List<Seen> seen() {
    List<Seen> seen = new ArrayList<>();
    for (String key : live(Keys.SERVERS)) {
      Args args = new Args().add(Keys.SERVERS).add(key);
      Object until = link.call(Keys.SERVERS, Repeat.SAFE, Command.ZSCORE, args);
      List<Server> found = new ArrayList<>(1);
      readServer(key, found);
      if (until != null && !found.isEmpty()) {
        seen.add(new Seen(found.get(0), Reply.second(Reply.text(until))));
      }
    }
    return seen;
  }

  private void readServer(String key, List<Server> into) {
    Object info = link.call(key, Repeat.SAFE, Command.GET, new Args().add(key));
    if (info != null) {
      read(key, into, info, PresenceCodec::decodeServer);
    }
  }

  @Override
  public List<Worker> workers() {
    List<Worker> workers = new ArrayList<>();
    for (String key : live(Keys.WORKERS)) {
      for (Object info :
          Reply.list(link.call(key, Repeat.SAFE, Command.HVALS, new Args().add(key)))) {
        read(key, workers, info, PresenceCodec::decodeWorker);
      }
    }
    return workers;
  }

  @Override
  public void showEntries(String schedulerId, List<SchedulerEntry> entries, Duration ttl) {
    String key = Keys.scheduler(schedulerId);
    register(Keys.SCHEDULERS, key, ttl);
    Args args = new Args(1 + entries.size()).add(Seconds.ceil(ttl));
    entries.forEach(entry -> args.add(PresenceCodec.encode(entry)));
    scripts.run(Script.SCHEDULER_ENTRIES, new String[] {key}, args);
  }

  @Override
  public void hideEntries(String schedulerId) {
    String key = Keys.scheduler(schedulerId);
    unregister(Keys.SCHEDULERS, key);
    delete(key);
  }

  @Override
  public List<SchedulerEntry> schedulerEntries() {
    List<SchedulerEntry> entries = new ArrayList<>();
    for (String key : live(Keys.SCHEDULERS)) {
      Args args = new Args().add(key).add(0).add(-1);
      for (Object entry : Reply.list(link.call(key, Repeat.SAFE, Command.LRANGE, args))) {
        read(key, entries, entry, PresenceCodec::decodeSchedulerEntry);
      }
    }
    return entries;
  }

  @Override
  public void recordEvent(String entryId, SchedulerEvent event) {
    Args args =
        new Args(4)
            .add(event.enqueuedAt().getEpochSecond())
            .add(PresenceCodec.encode(event))
            .add(MOST_EVENTS)
            .add(HISTORY_TTL.toSeconds());
    scripts.run(Script.SCHEDULER_EVENT, new String[] {Keys.schedulerHistory(entryId)}, args);
  }

  @Override
  public List<SchedulerEvent> events(String entryId, int offset, int limit) {
    String key = Keys.schedulerHistory(entryId);
    Args args = new Args().add(key).add(offset).add(offset + limit - 1L);
    List<SchedulerEvent> events = new ArrayList<>();
    for (Object event : Reply.list(link.call(key, Repeat.SAFE, Command.ZREVRANGE, args))) {
      read(key, events, event, PresenceCodec::decodeSchedulerEvent);
    }
    return events;
  }

  @Override
  public void clearEvents(String entryId) {
    delete(Keys.schedulerHistory(entryId));
  }

  private List<String> live(String registry) {
    List<String> keys = new ArrayList<>();
    for (Object key : Reply.list(scripts.run(Script.LIVE, new String[] {registry}, new Args()))) {
      keys.add(Reply.text(key));
    }
    return keys;
  }

  private interface Decoder<T> {
    T decode(byte[] bytes) throws WireFormatException;
  }

  /** One that cannot be read, or says what cannot be, must not hide the others. */
  private <T> void read(String key, List<T> into, @Nullable Object bytes, Decoder<T> decoder) {
    try {
      into.add(decoder.decode(Reply.bytes(bytes)));
    } catch (WireFormatException | IllegalArgumentException e) {
      unreadables.skipped("an entry of " + key, e);
    }
  }
}
