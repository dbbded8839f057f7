package io.asynq4j.redis;

import io.asynq4j.broker.Aggregation;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Cancellations;
import io.asynq4j.broker.Channels;
import io.asynq4j.broker.Definitions;
import io.asynq4j.broker.Diagnostics;
import io.asynq4j.broker.Elapsed;
import io.asynq4j.broker.Inspection;
import io.asynq4j.broker.Lookout;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.SafeLog;
import io.asynq4j.broker.Schedules;
import io.asynq4j.broker.Semaphores;
import io.asynq4j.broker.TaskSink;
import io.asynq4j.broker.TaskSource;
import io.asynq4j.broker.Upkeep;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that is done to tasks, over one link. */
final class RedisBroker implements Broker {

  private static final Logger log = LoggerFactory.getLogger(RedisBroker.class);

  /** Compared by identity: the same action may come twice. */
  private static final class Closing {
    private final Runnable action;

    Closing(Runnable action) {
      this.action = action;
    }
  }

  private final List<Closing> beforeClose = new CopyOnWriteArrayList<>();
  private boolean closing;
  private final BrokerTime time;
  private final RedisSink sink;
  private final RedisSource source;
  private final RedisUpkeep upkeep;
  private final RedisAggregation aggregation;
  private final RedisPresence presence;
  private final RedisCancellations cancellations;
  private final RedisChannels channels;
  private final RedisSemaphores semaphores;
  private final RedisInspection inspection;
  private final RedisLookout lookout;
  private final RedisDiagnostics diagnostics;
  private final RedisSchedules schedules;
  private final RedisDefinitions definitions;

  RedisBroker(Link link, BrokerTime time) {
    this(link, time, /* numberedEnqueue= */ true);
  }

  RedisBroker(Link link, BrokerTime time, boolean numberedEnqueue) {
    SafeLog.prepare();
    this.time = time;
    Scripts scripts = new Scripts(link, time);
    Registry registry = new Registry(link);
    this.sink = new RedisSink(link, time, scripts, registry, numberedEnqueue);
    this.source = new RedisSource(scripts, time);
    this.upkeep = new RedisUpkeep(scripts, link, time);
    this.aggregation = new RedisAggregation(scripts, link);
    this.presence = new RedisPresence(scripts, link);
    this.cancellations = new RedisCancellations(link);
    this.channels = new RedisChannels(link);
    this.semaphores = new RedisSemaphores(scripts, link);
    this.lookout = new RedisLookout(link);
    this.schedules = new RedisSchedules(scripts, link, time, registry);
    this.definitions = new RedisDefinitions(link);
    this.inspection = new RedisInspection(scripts, link, time, registry, aggregation, upkeep);
    this.diagnostics = new RedisDiagnostics(scripts, link, time, registry, presence, aggregation);
  }

  @Override
  public TaskSink sink() {
    return sink;
  }

  @Override
  public TaskSource source() {
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
  public Cancellations cancellations() {
    return cancellations;
  }

  @Override
  public Channels channels() {
    return channels;
  }

  @Override
  public Semaphores semaphores() {
    return semaphores;
  }

  @Override
  public Inspection inspection() {
    return inspection;
  }

  @Override
  public Lookout lookout() {
    return lookout;
  }

  @Override
  public Diagnostics diagnostics() {
    return diagnostics;
  }

  @Override
  public Schedules schedules() {
    return schedules;
  }

  @Override
  public Definitions definitions() {
    return definitions;
  }

  @Override
  public Clock clock() {
    return time.clock();
  }

  @Override
  public Elapsed elapsedSince(Instant moment) {
    return time.elapsedSince(moment);
  }

  @Override
  public Registration beforeClose(Runnable action) {
    Closing own = new Closing(action);
    synchronized (this) {
      if (closing) {
        throw new IllegalStateException("the connection to Redis is closed; open another one");
      }
      beforeClose.add(own);
    }
    return () -> beforeClose.remove(own);
  }

  /** Before the link is closed. */
  void closing() {
    synchronized (this) {
      closing = true;
    }
    for (Closing each : List.copyOf(beforeClose)) {
      if (beforeClose.remove(each)) {
        try {
          each.action.run();
        } catch (RuntimeException | Error e) {
          log.error("what uses this connection could not be stopped before it is closed", e);
        }
      }
    }
  }
}
