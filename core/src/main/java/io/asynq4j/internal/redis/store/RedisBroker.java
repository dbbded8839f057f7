package io.asynq4j.internal.redis.store;

import io.asynq4j.internal.broker.Aggregation;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.DefinitionStore;
import io.asynq4j.internal.broker.Diagnostics;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.SemaphoreOperations;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.PubSub;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.inspect.RedisDiagnostics;
import io.asynq4j.internal.redis.store.inspect.RedisInspection;
import io.asynq4j.internal.redis.store.presence.RedisCancellationChannel;
import io.asynq4j.internal.redis.store.presence.RedisPresence;
import io.asynq4j.internal.redis.store.presence.RedisPubSub;
import io.asynq4j.internal.redis.store.schedule.RedisScheduleStore;
import io.asynq4j.internal.redis.store.task.QueueRegistry;
import io.asynq4j.internal.redis.store.task.RedisAggregation;
import io.asynq4j.internal.redis.store.task.RedisEnqueueOperations;
import io.asynq4j.internal.redis.store.task.RedisLeaseOperations;
import io.asynq4j.internal.redis.store.task.RedisUpkeep;
import io.asynq4j.internal.redis.watch.RedisStoreWatch;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.ElapsedBounds;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redis implementation of the broker, over one connection. */
public final class RedisBroker implements Broker {

  private static final Logger log = LoggerFactory.getLogger(RedisBroker.class);

  /** Compared by identity: the same action may be registered twice. */
  private static final class Closing {
    private final Runnable action;

    Closing(Runnable action) {
      this.action = action;
    }
  }

  private final List<Closing> beforeClose = new CopyOnWriteArrayList<>();
  private boolean closing;
  private final BrokerTime time;
  private final RedisEnqueueOperations sink;
  private final RedisLeaseOperations source;
  private final RedisUpkeep upkeep;
  private final RedisAggregation aggregation;
  private final RedisPresence presence;
  private final RedisCancellationChannel cancellations;
  private final RedisPubSub channels;
  private final RedisSemaphoreOperations semaphores;
  private final RedisInspection inspection;
  private final RedisStoreWatch lookout;
  private final RedisDiagnostics diagnostics;
  private final RedisScheduleStore schedules;
  private final RedisDefinitionStore definitions;

  public RedisBroker(RedisCommandExecutor link, BrokerTime time) {
    this(link, time, /* numberedEnqueue= */ true);
  }

  public RedisBroker(RedisCommandExecutor link, BrokerTime time, boolean numberedEnqueue) {
    SafeLog.prepare();
    this.time = time;
    ScriptRunner scripts = new ScriptRunner(link, time);
    QueueRegistry registry = new QueueRegistry(link);
    this.sink = new RedisEnqueueOperations(link, time, scripts, registry, numberedEnqueue);
    this.source = new RedisLeaseOperations(scripts, time);
    this.upkeep = new RedisUpkeep(scripts, link, time);
    this.aggregation = new RedisAggregation(scripts, link);
    this.presence = new RedisPresence(scripts, link);
    this.cancellations = new RedisCancellationChannel(link);
    this.channels = new RedisPubSub(link);
    this.semaphores = new RedisSemaphoreOperations(scripts, link);
    this.lookout = new RedisStoreWatch(link);
    this.schedules = new RedisScheduleStore(scripts, link, time, registry);
    this.definitions = new RedisDefinitionStore(link);
    this.inspection = new RedisInspection(scripts, link, time, registry, aggregation, upkeep);
    this.diagnostics = new RedisDiagnostics(scripts, link, time, registry, presence, aggregation);
  }

  @Override
  public EnqueueOperations enqueueing() {
    return sink;
  }

  @Override
  public LeaseOperations leases() {
    return source;
  }

  @Override
  public Upkeep upkeep() {
    return upkeep;
  }

  @Override
  public Aggregation aggregation() {
    return aggregation;
  }

  @Override
  public Presence presence() {
    return presence;
  }

  @Override
  public CancellationChannel cancellations() {
    return cancellations;
  }

  @Override
  public PubSub pubSub() {
    return channels;
  }

  @Override
  public SemaphoreOperations semaphores() {
    return semaphores;
  }

  @Override
  public Inspection inspection() {
    return inspection;
  }

  @Override
  public StoreWatch watches() {
    return lookout;
  }

  @Override
  public Diagnostics diagnostics() {
    return diagnostics;
  }

  @Override
  public ScheduleStore schedules() {
    return schedules;
  }

  @Override
  public DefinitionStore definitions() {
    return definitions;
  }

  @Override
  public Clock clock() {
    return time.clock();
  }

  @Override
  public ElapsedBounds elapsedSince(Instant moment) {
    return time.elapsedSince(moment);
  }

  @Override
  public Registration beforeClose(Runnable action) {
    Closing own = new Closing(action);
    synchronized (this) {
      if (closing) {
        throw new IllegalStateException("the Redis connection is closed; open a new one");
      }
      beforeClose.add(own);
    }
    return () -> beforeClose.remove(own);
  }

  /** Runs the registered actions before the connection is closed. */
  public void closing() {
    synchronized (this) {
      closing = true;
    }
    for (Closing each : List.copyOf(beforeClose)) {
      if (beforeClose.remove(each)) {
        try {
          each.action.run();
        } catch (RuntimeException | Error e) {
          log.error(
              "a component that uses the Redis connection failed to stop before the connection closes",
              e);
        }
      }
    }
  }
}
