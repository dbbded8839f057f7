package io.asynq4j.internal.redis.store;

import io.asynq4j.internal.broker.Aggregation;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.DefinitionStore;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.ScheduleStore;
import io.asynq4j.internal.broker.SemaphoreOperations;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.inspect.Diagnostics;
import io.asynq4j.internal.broker.inspect.KeyspaceScan;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.QueueControl;
import io.asynq4j.internal.broker.inspect.QueueInspection;
import io.asynq4j.internal.broker.inspect.QueueRemoval;
import io.asynq4j.internal.broker.inspect.TaskEdits;
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.PubSub;
import io.asynq4j.internal.redis.clock.BrokerTime;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.inspect.KeyspaceScanner;
import io.asynq4j.internal.redis.store.inspect.QueueReader;
import io.asynq4j.internal.redis.store.inspect.QueueRemover;
import io.asynq4j.internal.redis.store.inspect.RedisDiagnostics;
import io.asynq4j.internal.redis.store.inspect.RedisOperatorActions;
import io.asynq4j.internal.redis.store.inspect.RedisQueueControl;
import io.asynq4j.internal.redis.store.inspect.TaskEditor;
import io.asynq4j.internal.redis.store.inspect.TaskReader;
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

/** Redis implementation of the broker, over one connection: one component per topic. */
public record RedisBroker(
    EnqueueOperations enqueueing,
    LeaseOperations leases,
    Upkeep upkeep,
    Aggregation aggregation,
    Presence presence,
    CancellationChannel cancellations,
    PubSub pubSub,
    SemaphoreOperations semaphores,
    QueueInspection queues,
    QueueControl queueControl,
    QueueRemoval queueRemoval,
    TaskInspection tasks,
    TaskEdits taskEdits,
    OperatorActions actions,
    StoreWatch watches,
    Diagnostics diagnostics,
    KeyspaceScan keyspace,
    ScheduleStore schedules,
    DefinitionStore definitions,
    BrokerTime time,
    CloseActions closeActions)
    implements Broker {

  /** Returns the broker on a connection. */
  public static RedisBroker on(
      RedisCommandExecutor link, BrokerTime time, boolean numberedEnqueue) {
    SafeLog.prepare();
    ScriptRunner scripts = new ScriptRunner(link, time);
    QueueRegistry registry = new QueueRegistry(link, time);
    RedisUpkeep upkeep = new RedisUpkeep(scripts, link, time);
    RedisAggregation aggregation = new RedisAggregation(scripts, link);
    RedisPresence presence = new RedisPresence(scripts, link);
    RedisPubSub channels = new RedisPubSub(link);
    QueueReader queues = new QueueReader(scripts, link, time);
    TaskReader tasks = new TaskReader(scripts, link, queues);
    RedisOperatorActions actions = new RedisOperatorActions(scripts, queues, tasks);
    return new RedisBroker(
        new RedisEnqueueOperations(link, time, scripts, registry, numberedEnqueue),
        new RedisLeaseOperations(scripts, time),
        upkeep,
        aggregation,
        presence,
        channels,
        channels,
        new RedisSemaphoreOperations(scripts, link),
        queues,
        new RedisQueueControl(link, time),
        new QueueRemover(scripts, link, registry, queues, actions, aggregation, upkeep),
        tasks,
        new TaskEditor(scripts, tasks),
        actions,
        new RedisStoreWatch(link),
        new RedisDiagnostics(scripts, link, time, registry, presence, aggregation),
        new KeyspaceScanner(link),
        new RedisScheduleStore(scripts, link, time, registry),
        new RedisDefinitionStore(link),
        time,
        new CloseActions());
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
    return closeActions.add(action);
  }
}
