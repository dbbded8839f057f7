package io.asynq4j.redis;

import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.Seconds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Protocol.Command;

/**
 * Presence in Redis: a record with a short life for each server and scheduler, and a registry of
 * each kind.
 */
final class RedisPresence implements Presence {

  private static final Logger log = LoggerFactory.getLogger(RedisPresence.class);

  private static final int MOST_EVENTS = 1000;
  static final Duration HISTORY_TTL = Duration.ofDays(90);

  private final Scripts scripts;
  private final Link link;
  private final BrokerTime time;

  RedisPresence(Scripts scripts, Link link, BrokerTime time) {
    this.scripts = scripts;
    this.link = link;
    this.time = time;
  }

  @Override
  public void show(Server server, List<Worker> workers, Duration ttl) {
    String serverKey = Keys.server(server.host(), server.pid(), server.serverId());
    String workersKey = Keys.workers(server.host(), server.pid(), server.serverId());
    register(Keys.SERVERS, serverKey, ttl);
    register(Keys.WORKERS, workersKey, ttl);
    Args args =
        new Args(2 + workers.size() * 2).add(Seconds.ceil(ttl)).add(MessageCodec.encode(server));
    workers.forEach(worker -> args.add(worker.taskId()).add(MessageCodec.encode(worker)));
    scripts.run(Script.SERVER_STATE, new String[] {serverKey, workersKey}, args);
  }

  private void register(String registry, String key, Duration ttl) {
    long expiry = time.clock().instant().plus(ttl).getEpochSecond();
    link.call(registry, Repeat.SAFE, Command.ZADD, new Args().add(registry).add(expiry).add(key));
  }

  @Override
  public void hide(Server server) {
    String serverKey = Keys.server(server.host(), server.pid(), server.serverId());
    String workersKey = Keys.workers(server.host(), server.pid(), server.serverId());
    unregister(Keys.SERVERS, serverKey);
    unregister(Keys.WORKERS, workersKey);
    delete(serverKey);
    delete(workersKey);
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
  public List<Seen> seen() {
    List<Seen> seen = new ArrayList<>();
    for (String key : live(Keys.SERVERS)) {
      Args args = new Args().add(Keys.SERVERS).add(key);
      Object until = link.call(Keys.SERVERS, Repeat.SAFE, Command.ZSCORE, args);
      List<Server> found = new ArrayList<>(1);
      readServer(key, found);
      if (until != null && !found.isEmpty()) {
        long second = (long) Double.parseDouble(Reply.text(until));
        seen.add(new Seen(found.get(0), Instant.ofEpochSecond(second)));
      }
    }
    return seen;
  }

  private void readServer(String key, List<Server> into) {
    Object info = link.call(key, Repeat.SAFE, Command.GET, new Args().add(key));
    if (info != null) {
      read(into, info, MessageCodec::decodeServer);
    }
  }

  @Override
  public List<Worker> workers() {
    List<Worker> workers = new ArrayList<>();
    for (String key : live(Keys.WORKERS)) {
      for (Object info :
          Reply.list(link.call(key, Repeat.SAFE, Command.HVALS, new Args().add(key)))) {
        read(workers, info, MessageCodec::decodeWorker);
      }
    }
    return workers;
  }

  @Override
  public void showEntries(String schedulerId, List<SchedulerEntry> entries, Duration ttl) {
    String key = Keys.scheduler(schedulerId);
    register(Keys.SCHEDULERS, key, ttl);
    Args args = new Args(1 + entries.size()).add(Seconds.ceil(ttl));
    entries.forEach(entry -> args.add(MessageCodec.encode(entry)));
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
        read(entries, entry, MessageCodec::decodeSchedulerEntry);
      }
    }
    return entries;
  }

  @Override
  public void recordEvent(String entryId, SchedulerEvent event) {
    Args args =
        new Args(4)
            .add(event.enqueuedAt().getEpochSecond())
            .add(MessageCodec.encode(event))
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
      read(events, event, MessageCodec::decodeSchedulerEvent);
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
    T decode(byte[] bytes) throws InvalidProtocolBufferException;
  }

  /** One that cannot be read, or says what cannot be, must not hide the others. */
  private static <T> void read(List<T> into, @Nullable Object bytes, Decoder<T> decoder) {
    try {
      into.add(decoder.decode(Reply.bytes(bytes)));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      log.warn("skipped an entry of another process that cannot be read: {}", e.getMessage());
    }
  }
}
