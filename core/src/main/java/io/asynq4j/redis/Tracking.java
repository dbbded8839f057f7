package io.asynq4j.redis;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import java.time.Duration;
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
 * Has Redis tell once of the next change to what was looked at ({@code CLIENT TRACKING} with {@code
 * REDIRECT}), for all watches of a connection together: two connections per primary that is looked
 * at. Thread-safe.
 */
final class Tracking implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Tracking.class);

  /** After so long a queue that could not be armed, since its slot moves, is to be looked at. */
  private static final Duration AFTER_MOVE = Duration.ofMillis(500);

  private final RedisLookout lookout;
  private final Link link;
  private final Duration checkInterval;
  private final List<RedisWatch> watches = new CopyOnWriteArrayList<>();
  private final Map<String, TrackedServer> servers = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Tracking::daemon);
  private volatile boolean closed;

  Tracking(RedisLookout lookout, Link link, Duration checkInterval) {
    this.lookout = lookout;
    this.link = link;
    this.checkInterval = checkInterval;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-lookout");
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setRemoveOnCancelPolicy(true);
    Future<?> unused =
        timer.scheduleWithFixedDelay(this::check, 0, checkInterval.toNanos(), TimeUnit.NANOSECONDS);
  }

  void add(RedisWatch watch) {
    watches.add(watch);
  }

  void remove(RedisWatch watch) {
    watches.remove(watch);
  }

  /** Looks at queues where their changes are told of, or, where that is not possible, anyhow. */
  Set<QueueName> arm(RedisWatch watch, Collection<QueueName> queues, Survey survey) {
    Set<QueueName> having = new HashSet<>();
    for (RedisLookout.Shard shard : lookout.shards(queues)) {
      TrackedServer server = track(shard.server(), shard.slot());
      if (server.isReady()) {
        watch.expect(shard.queues(), survey.parts());
      }
      Survey.Findings found = server.look(survey, shard.queues());
      if (found == null) {
        // When it is possible again, all is lost, and then armed.
        having.addAll(lookout.ask(survey, shard.slot(), shard.queues()));
        continue;
      }
      having.addAll(found.having());
      if (!found.unanswered().isEmpty()) {
        tellLater(watch, found.unanswered(), survey);
        found.unanswered().stream()
            .filter(queue -> lookout.has(survey, queue))
            .forEach(having::add);
      }
    }
    return having;
  }

  private void tellLater(RedisWatch watch, List<QueueName> queues, Survey survey) {
    Runnable tell =
        () ->
            queues.forEach(
                queue -> survey.parts().forEach(part -> watch.changed(Keys.of(queue, part))));
    try {
      Future<?> unused = timer.schedule(tell, AFTER_MOVE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("closed meanwhile: nobody waits to be told", e);
    }
  }

  TrackedServer track(Nodes.Server server, int slot) {
    TrackedServer known = servers.get(server.name());
    if (known != null) {
      return known;
    }
    TrackedServer tracked =
        servers.computeIfAbsent(server.name(), name -> new TrackedServer(this, link, server, slot));
    if (closed) {
      tracked.end();
    } else {
      tracked.start();
    }
    return tracked;
  }

  /** Another server has the slot for which this one was tracked. */
  void replace(TrackedServer former, Nodes.Server server, int slot) {
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
      log.debug("Redis is not there to tell of changes; tried again", e);
    } catch (RuntimeException e) {
      log.error("could not see whether Redis still tells of changes; tried again", e);
    }
  }

  void changed(String key) {
    watches.forEach(watch -> watch.changed(key));
  }

  void lost() {
    watches.forEach(RedisWatch::lost);
  }

  void refused(String answer) {
    lookout.refused(answer);
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
