package io.asynq4j.internal.server.duty;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.Upkeep.Recovered;
import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.ShardedRunner;
import io.asynq4j.internal.text.LogText;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Recovers tasks of crashed workers, and aggregation sets of crashed aggregators. */
public final class Recoverer {

  private static final Logger log = LoggerFactory.getLogger(Recoverer.class);

  private static final int MOST = 50;
  private static final Set<QueuePart> TAKEN =
      EnumSet.of(QueuePart.LEASE, QueuePart.AGGREGATION_SETS);

  private final DutyContext context;
  private final ServerConfig config;
  private final ShardTopology shards;
  private final Duration interval;
  private final long startedNanos = System.nanoTime();
  private final Set<QueueName> refused = ConcurrentHashMap.newKeySet();
  private final Map<QueueName, Long> acceptedSince = new ConcurrentHashMap<>();
  private final ShardedRunner recovering;
  private final ShardedRunner reclaiming;

  /** Created when the server starts. */
  public Recoverer(DutyContext context) {
    this.context = context;
    this.config = context.config();
    this.shards = context.shards();
    this.interval = config.recoverInterval();
    this.recovering = new ShardedRunner("recoverer", shards, interval, this::recover);
    this.reclaiming =
        context.runner("recoverer", interval, context.broker().aggregation()::reclaimStale);
  }

  /** Returns the delay until the next run. */
  public Duration run() {
    List<QueueName> served = context.queues().names();
    List<QueueName> names = served.stream().filter(this::maySweep).toList();
    Map<QueuePart, Set<QueueName>> taken = context.broker().watches().havingEach(names, TAKEN);
    try {
      Set<QueueName> asked = new LinkedHashSet<>(taken.getOrDefault(QueuePart.LEASE, Set.of()));
      served.stream().filter(this::isOnServerThatIsAway).forEach(asked::add);
      recovering.each(asked);
    } finally {
      reclaiming.each(taken.getOrDefault(QueuePart.AGGREGATION_SETS, Set.of()));
    }
    return !names.isEmpty() && taken.values().stream().allMatch(Set::isEmpty)
        ? longInterval()
        : interval;
  }

  /**
   * After an outage, live workers must be able to extend their leases first. A server that has just
   * started cannot know whether there was an outage.
   */
  private boolean maySweep(QueueName queue) {
    Duration wait = aHeartbeat();
    return System.nanoTime() - startedNanos >= wait.toNanos()
        && !shards.outages().isRecent(shards.of(queue), wait);
  }

  /** Applies to several servers; with only one, the heartbeat detects that it is back. */
  private boolean isOnServerThatIsAway(QueueName queue) {
    String shard = shards.of(queue);
    return !shard.isEmpty() && shards.outages().isDown(shard);
  }

  /** Returns the time in which every live server has extended its leases. */
  private Duration aHeartbeat() {
    return config.heartbeat().plusSeconds(1);
  }

  /** Returns the interval if no lease exists: a later lease lasts longer than this. */
  private Duration longInterval() {
    Duration twice = interval.multipliedBy(2);
    return twice.compareTo(config.lease()) < 0 ? twice : interval;
  }

  /**
   * While Redis refuses writes, for example because it cannot save to disk, no worker can extend a
   * lease. Live workers must then be able to do so first, per queue, since the queues may be on
   * several servers.
   *
   * @return whether Redis was called
   */
  private boolean recover(QueueName queue) {
    if (isOnServerThatIsAway(queue)) {
      // Recovers nothing: it only checks whether the server is back.
      recover(queue, 0);
      return true;
    }
    if (!maySweep(queue)) {
      return false;
    }
    try {
      if (refused.remove(queue)) {
        recover(queue, 0);
        acceptedSince.put(queue, System.nanoTime());
        return true;
      }
      Long since = acceptedSince.get(queue);
      if (since != null && System.nanoTime() - since < aHeartbeat().toNanos()) {
        return false;
      }
      acceptedSince.remove(queue);
      recoverAll(queue);
      return true;
    } catch (BrokerRefusedException e) {
      refused.add(queue);
      throw e;
    }
  }

  private List<Recovered> recover(QueueName queue, int most) {
    return context
        .broker()
        .upkeep()
        .recover(queue, most, config.crash(), config.rulesOf(queue), config.archive());
  }

  private void recoverAll(QueueName queue) {
    List<Recovered> recovered;
    do {
      recovered = recover(queue, MOST);
      for (Recovered task : recovered) {
        String action = task.recovery().name().toLowerCase(Locale.ROOT);
        String id = LogText.name(task.id());
        log.atLevel(task.recovery() == Recovery.ARCHIVE ? Level.ERROR : Level.WARN)
            .log("the worker of task {} of queue {} crashed: {}", id, queue, action);
        config.listeners().publish(listener -> listener.recovered(queue, task.id(), action));
      }
    } while (recovered.size() == MOST);
  }
}
