package io.asynq4j.internal.redis.watch;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.connection.RedisNodes.PoolKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;

/** Finds non-empty queues by queries, and watches them by client tracking where Redis allows it. */
public final class RedisStoreWatch implements StoreWatch {

  private static final Logger log = LoggerFactory.getLogger(RedisStoreWatch.class);

  /**
   * Name for slots without a server. Calls for them take as long as calls to an unresponsive
   * server.
   */
  private static final String NO_SERVER = "no server";

  /** Interval of the checks whether the tracking connections are alive. */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(3);

  /** Queues on one server, with its name and the slot of one of them. */
  public record Shard(String server, int slot, List<QueueName> queues) {}

  private final RedisCommandExecutor link;
  private final Duration checkInterval;
  // All watches share the tracking connections; none exist without a watch.
  private @Nullable ClientTracking tracking;
  private volatile boolean refused;
  private final Set<QueueName> refusedQueues = ConcurrentHashMap.newKeySet();
  final ShardFanOut questions = new ShardFanOut();

  public RedisStoreWatch(RedisCommandExecutor link) {
    this(link, CHECK_INTERVAL);
  }

  RedisStoreWatch(RedisCommandExecutor link, Duration checkInterval) {
    this.link = link;
    this.checkInterval = checkInterval;
  }

  @Override
  public String shardOf(QueueName queue) {
    // Checked per call: with a single server nothing has to be computed.
    if (!link.isKnownAsSharded()) {
      return "";
    }
    String shard = link.shardOf(RedisKeys.slot(RedisKeys.prefix(queue)));
    return shard.isEmpty() ? NO_SERVER : shard;
  }

  @Override
  public Set<QueueName> having(Collection<QueueName> queues, Set<QueuePart> parts) {
    NonEmptyQueueQuery survey = new NonEmptyQueueQuery(parts);
    if (!link.isSharded()) {
      return ask(survey, 0, queues);
    }
    return questions.ask(
        shards(link, queues), shard -> ask(survey, shard.slot(), shard.queues()), survey.parts());
  }

  /** Queries queues that the same server has, or had a moment ago. */
  Set<QueueName> ask(NonEmptyQueueQuery survey, int slot, Collection<QueueName> queues) {
    NonEmptyQueueQuery.Result found =
        survey.among(queues, link.isSharded(), commands -> link.callAll(slot, commands));
    return complete(survey, queues, found, elsewhere -> {});
  }

  /**
   * Queries the queues without a reply again, each on whichever server has it, and returns all that
   * have entries. A queue to which Redis denies access, for example because the ACL user may not
   * read it, counts as empty, so that the other queues are served. It is queried again each time
   * and logged once.
   *
   * @param elsewhere called for each queue that was answered only now
   */
  Set<QueueName> complete(
      NonEmptyQueueQuery survey,
      Collection<QueueName> asked,
      NonEmptyQueueQuery.Result found,
      Consumer<QueueName> elsewhere) {
    if (!refusedQueues.isEmpty()) {
      Set<QueueName> answered = new HashSet<>(asked);
      found.unanswered().forEach(answered::remove);
      refusedQueues.removeAll(answered);
    }
    for (QueueName queue : found.unanswered()) {
      int slot = RedisKeys.slot(RedisKeys.prefix(queue));
      CommandArguments exists = survey.exists(List.of(queue));
      try {
        Object count = link.call(slot, ResendPolicy.SAFE, PoolKind.SHARED, exists, null);
        refusedQueues.remove(queue);
        elsewhere.accept(queue);
        if (ReplyParser.number(count) > 0) {
          found.having().add(queue);
        }
      } catch (BrokerRefusedException e) {
        if (refusedQueues.add(queue)) {
          log.error(
              "queue {} is not served: {}; other queues are served, and this one is as soon as Redis allows access",
              queue,
              e.getMessage());
        }
      }
    }
    return found.having();
  }

  /** Groups the queues by server. */
  public static Collection<Shard> shards(RedisCommandExecutor link, Collection<QueueName> queues) {
    if (!link.isSharded()) {
      return queues.isEmpty()
          ? List.of()
          : List.of(new Shard(link.serverOf(0).name(), 0, List.copyOf(queues)));
    }
    Map<String, Shard> shards = new LinkedHashMap<>();
    boolean anyKnown =
        queues.stream()
            .anyMatch(queue -> !link.shardOf(RedisKeys.slot(RedisKeys.prefix(queue))).isEmpty());
    for (QueueName queue : queues) {
      int slot = RedisKeys.slot(RedisKeys.prefix(queue));
      // If no server has a slot now, finding one would delay the other queues.
      if (!anyKnown || !link.shardOf(slot).isEmpty()) {
        shards
            .computeIfAbsent(
                link.serverOf(slot).name(), server -> new Shard(server, slot, new ArrayList<>()))
            .queues()
            .add(queue);
      }
    }
    return shards.values();
  }

  @Override
  public Watch watch(Listener listener) {
    return new WatchSubscription(this, listener);
  }

  /** Returns null if Redis permanently refuses client tracking. */
  synchronized @Nullable ClientTracking join(WatchSubscription watch) {
    if (refused || !link.isOpen()) {
      return null;
    }
    ClientTracking shared = tracking;
    if (shared == null) {
      shared = new ClientTracking(this, link, checkInterval);
      tracking = shared;
    }
    shared.watches.add(watch);
    return shared;
  }

  synchronized void leave(ClientTracking left, WatchSubscription watch) {
    left.watches.remove(watch);
    if (left == tracking && left.watches.isEmpty()) {
      tracking = null;
      left.close();
    }
  }

  /** Disables client tracking after Redis refused it. Logged once; not retried. */
  synchronized void refused(String answer) {
    if (!refused) {
      refused = true;
      log.warn(
          "client tracking is not available ({}), so queues are polled and tasks"
              + " start later than they could; allow the Redis user +client|tracking +client|id +subscribe"
              + " &{}, and check that no proxy blocks these commands",
          answer,
          RedisKeys.INVALIDATIONS);
    }
  }
}
