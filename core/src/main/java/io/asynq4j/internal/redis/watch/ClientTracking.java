package io.asynq4j.internal.redis.watch;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers reads for one invalidation message by {@code CLIENT TRACKING} with {@code REDIRECT}.
 * All watches of a connection share it; each tracked primary needs two connections. Thread-safe.
 */
final class ClientTracking implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ClientTracking.class);

  /** Delay before a queue is read again whose slot is being migrated and could not be tracked. */
  private static final Duration AFTER_MOVE = Duration.ofMillis(500);

  private final RedisStoreWatch storeWatch;
  private final RedisCommandExecutor link;
  final List<WatchSubscription> watches = new CopyOnWriteArrayList<>();
  private final Map<String, TrackedServer> servers = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, DaemonThreadPools.factory("asynq-tracking"));
  private volatile boolean closed;

  ClientTracking(RedisStoreWatch storeWatch, RedisCommandExecutor link, Duration checkInterval) {
    this.storeWatch = storeWatch;
    this.link = link;
    Future<?> unused =
        timer.scheduleWithFixedDelay(this::check, 0, checkInterval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Reads queues with tracking; falls back to untracked reads where tracking is not possible. */
  Set<QueueName> arm(
      WatchSubscription watch, Collection<QueueName> queues, NonEmptyQueueQuery survey) {
    Collection<RedisStoreWatch.Shard> shards = RedisStoreWatch.shards(link, queues);
    if (link.isSharded()) {
      return storeWatch.questions.ask(
          shards, shard -> armAt(watch, survey, shard), new Late(watch, survey.parts()));
    }
    Set<QueueName> having = new HashSet<>();
    shards.forEach(shard -> having.addAll(armAt(watch, survey, shard)));
    return having;
  }

  /** Makes a watch read queues again, as if their parts had changed. */
  private record Late(WatchSubscription watch, Set<QueuePart> parts) implements ShardFanOut.Asker {
    @Override
    public void lookAgain(Collection<QueueName> queues) {
      watch.expect(queues, parts);
      watch.changed(queues, parts);
    }
  }

  private Set<QueueName> armAt(
      WatchSubscription watch, NonEmptyQueueQuery survey, RedisStoreWatch.Shard shard) {
    NonEmptyQueueQuery.Result found =
        track(shard.server(), shard.slot()).look(watch, survey, shard.queues());
    if (found == null) {
      // When tracking works again, every watch is reset and then armed.
      return storeWatch.ask(survey, shard.slot(), shard.queues());
    }
    List<QueueName> moved = new ArrayList<>();
    Set<QueueName> having = storeWatch.complete(survey, shard.queues(), found, moved::add);
    if (!moved.isEmpty()) {
      reportLater(watch, moved, survey);
    }
    return having;
  }

  private void reportLater(
      WatchSubscription watch, List<QueueName> queues, NonEmptyQueueQuery survey) {
    try {
      Future<?> unused =
          timer.schedule(
              () -> watch.changed(queues, survey.parts()),
              AFTER_MOVE.toNanos(),
              TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("change tracking is closed; no watch remains to notify", e);
    }
  }

  TrackedServer track(String server, int slot) {
    TrackedServer tracked =
        servers.computeIfAbsent(server, name -> new TrackedServer(this, link, name, slot));
    if (closed) {
      tracked.end();
    } else {
      tracked.start();
    }
    return tracked;
  }

  /** Replaces a tracked server after its slot moved to another server. */
  void replace(TrackedServer former, String server, int slot) {
    servers.values().remove(former);
    track(server, slot);
  }

  private void check() {
    try {
      if (!link.isOpen()) {
        close();
      } else if (servers.isEmpty() && !link.isSharded()) {
        track(link.serverOf(0).name(), 0);
      } else {
        servers.values().forEach(TrackedServer::check);
      }
    } catch (BrokerException e) {
      log.debug("change tracking cannot reach Redis; retrying", e);
    } catch (RuntimeException | Error e) {
      log.error("change tracking could not check its connections; retrying", e);
    }
  }

  void changed(String key) {
    watches.forEach(watch -> watch.changed(key));
  }

  void lost() {
    watches.forEach(WatchSubscription::lost);
  }

  void refused(String answer) {
    storeWatch.refused(answer);
    close();
  }

  boolean isLive() {
    return !closed
        && !servers.isEmpty()
        && servers.values().stream().allMatch(TrackedServer::isLive);
  }

  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    servers.values().forEach(TrackedServer::end);
  }
}
