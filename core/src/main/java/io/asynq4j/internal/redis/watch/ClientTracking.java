package io.asynq4j.internal.redis.watch;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes;
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
  private final Duration checkInterval;
  private final List<WatchSubscription> watches = new CopyOnWriteArrayList<>();
  private final Map<String, TrackedServer> servers = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, ClientTracking::daemon);
  private volatile boolean closed;

  ClientTracking(RedisStoreWatch storeWatch, RedisCommandExecutor link, Duration checkInterval) {
    this.storeWatch = storeWatch;
    this.link = link;
    this.checkInterval = checkInterval;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-tracking");
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setRemoveOnCancelPolicy(true);
    Future<?> unused =
        timer.scheduleWithFixedDelay(this::check, 0, checkInterval.toNanos(), TimeUnit.NANOSECONDS);
  }

  void add(WatchSubscription watch) {
    watches.add(watch);
  }

  void remove(WatchSubscription watch) {
    watches.remove(watch);
  }

  /** Reads queues with tracking; falls back to untracked reads where tracking is not possible. */
  Set<QueueName> arm(
      WatchSubscription watch, Collection<QueueName> queues, NonEmptyQueueQuery survey) {
    Collection<RedisStoreWatch.Shard> shards = RedisStoreWatch.shards(link, queues);
    if (link.isSharded()) {
      return storeWatch
          .questions()
          .ask(shards, shard -> armAt(watch, survey, shard), new Late(watch, survey.parts()));
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
    TrackedServer server = track(shard.server(), shard.slot());
    if (server.isReady()) {
      watch.expect(shard.queues(), survey.parts());
    }
    NonEmptyQueueQuery.Result found = server.look(survey, shard.queues());
    if (found == null) {
      // When tracking works again, every watch is reset and then armed.
      return storeWatch.ask(survey, shard.slot(), shard.queues());
    }
    Set<QueueName> having = found.having();
    storeWatch.allowed(shard.queues(), found);
    if (!found.unanswered().isEmpty()) {
      having.addAll(askElsewhere(watch, survey, found.unanswered()));
    }
    return having;
  }

  /**
   * Reads queues that may have moved to another server. Queues that Redis refuses are not tracked.
   */
  private Set<QueueName> askElsewhere(
      WatchSubscription watch, NonEmptyQueueQuery survey, List<QueueName> queues) {
    Set<QueueName> having = new HashSet<>();
    List<QueueName> moved = new ArrayList<>();
    for (QueueName queue : queues) {
      RedisStoreWatch.Answer answer = storeWatch.has(survey, queue);
      if (answer != RedisStoreWatch.Answer.REFUSED) {
        moved.add(queue);
      }
      if (answer == RedisStoreWatch.Answer.SOMETHING) {
        having.add(queue);
      }
    }
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

  TrackedServer track(RedisNodes.Server server, int slot) {
    TrackedServer known = servers.get(server.name());
    if (known != null) {
      if (!closed) {
        known.start();
      }
      return known;
    }
    TrackedServer tracked =
        servers.computeIfAbsent(server.name(), name -> new TrackedServer(this, link, server, slot));
    if (closed) {
      tracked.end();
    } else {
      start(tracked);
    }
    return tracked;
  }

  private void start(TrackedServer tracked) {
    boolean started = false;
    try {
      tracked.start();
      started = true;
    } finally {
      if (!started) {
        // No thread could be started; the next read creates a new one.
        forget(tracked);
      }
    }
  }

  /** Replaces a tracked server after its slot moved to another server. */
  void replace(TrackedServer former, RedisNodes.Server server, int slot) {
    forget(former);
    track(server, slot);
  }

  private void forget(TrackedServer server) {
    servers.values().remove(server);
  }

  private void check() {
    try {
      if (!link.isOpen()) {
        close();
      } else if (servers.isEmpty() && !link.isSharded()) {
        track(link.serverOf(0), 0);
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
    if (closed || servers.isEmpty()) {
      return false;
    }
    for (TrackedServer server : servers.values()) {
      if (!server.isLive()) {
        return false;
      }
    }
    return true;
  }

  boolean isSharded() {
    return link.isSharded();
  }

  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    servers.values().forEach(TrackedServer::end);
  }
}
