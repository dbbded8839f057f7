package io.asynq4j.internal.server;

import io.asynq4j.Task;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.AttemptExecutor;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.attempt.FailureLog;
import io.asynq4j.internal.server.attempt.OverdueAttemptSettler;
import io.asynq4j.internal.server.attempt.Watchdog;
import io.asynq4j.internal.server.claim.ClaimLoop;
import io.asynq4j.internal.server.claim.QueueReadiness;
import io.asynq4j.internal.server.claim.StrideScheduler;
import io.asynq4j.internal.server.config.EffectiveQueueLimits;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.duty.DutyContext;
import io.asynq4j.internal.server.duty.DutyScheduler;
import io.asynq4j.internal.server.duty.Forwarder;
import io.asynq4j.internal.server.settle.AttemptReportWriter;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.settle.SettlementContext;
import io.asynq4j.internal.server.settle.SettlementThreadPools;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.internal.text.HostName;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The actors of a running server, and the order in which they start and stop. Each instance runs
 * once.
 */
final class ServerActors {

  /** The parts of a server that exist before it starts. */
  record Parts(
      RedisConnection redis,
      Broker broker,
      ServerConfig config,
      Handler<Task> handler,
      ServedQueues queues,
      OutageTracker outages) {}

  private final Parts parts;
  private final ServerEngine engine;
  private final Instant startedAt;
  private final String host = HostName.local();
  private final WakeupSignal signal = new WakeupSignal();
  private final FailureLog failures;
  private final SharedQueueWatch watch;
  private final SettlementThreadPools settlementThreads;
  private final ExecutorService shardThreads;
  private final ThreadPoolExecutor aggregatorThreads;
  private final AttemptExecutor workers;
  private final SettlementBuffer settlements;
  private final LeaseRenewer renewer;
  private final ClaimLoop claimLoop;
  private final Forwarder forwarder;
  private final Watchdog watchdog;
  private final GracefulShutdown shutdown;
  private final DutyScheduler duties;
  private final ControlMessageListener controlMessages;

  ServerActors(Parts parts, ServerEngine engine) {
    this.parts = parts;
    this.engine = engine;
    ServerConfig config = parts.config();
    Broker broker = parts.broker();
    AttemptRegistry attempts = new AttemptRegistry();
    this.startedAt = broker.clock().instant();
    this.failures =
        new FailureLog(config.failureLogLimit(), config.logsEveryStackTrace(), System::nanoTime);
    this.watch = new SharedQueueWatch(broker.watches());
    this.settlementThreads = new SettlementThreadPools(DaemonThreadPools.factory("asynq-settler-"));
    this.shardThreads = Executors.newCachedThreadPool(DaemonThreadPools.factory("asynq-lane-"));
    ShardTopology shards = new ShardTopology(broker.watches(), parts.outages(), shardThreads);
    this.aggregatorThreads =
        (ThreadPoolExecutor)
            Executors.newFixedThreadPool(
                config.groups() == null ? 1 : config.groups().parallelism(),
                DaemonThreadPools.factory("asynq-aggregator-"));
    StrideScheduler ready = new StrideScheduler(config.strictPriority());
    QueueReadiness readiness =
        new QueueReadiness(config, parts.queues(), broker.clock(), signal, watch, ready);
    AttemptReportWriter reports = new AttemptReportWriter(broker.leases(), shards);
    this.workers = new AttemptExecutor(config.concurrency(), config.executor(), signal);
    this.settlements =
        new SettlementBuffer(
            new SettlementContext(
                config,
                broker.leases(),
                attempts,
                shards,
                settlementThreads,
                reports,
                queue -> {
                  signal.raise();
                  readiness.settled(queue);
                },
                engine::fail));
    this.renewer =
        new LeaseRenewer(
            config,
            broker,
            attempts,
            shards,
            parts.redis()::ping,
            new ServerPresence(
                broker.presence(), attempts, this::presence, config.heartbeat().multipliedBy(2)),
            engine::fail);
    this.claimLoop =
        new ClaimLoop(
            new AttemptHost(
                config,
                parts.handler(),
                config.outcomePolicy(),
                failures,
                broker.leases(),
                broker.clock(),
                settlements::add,
                attempts::returned,
                reports),
            parts.queues(),
            workers,
            settlements,
            attempts,
            shards,
            signal,
            readiness,
            renewer::showSoon,
            engine::fail);
    DutyContext dutyContext = new DutyContext(config, broker, parts.queues(), shards);
    this.forwarder = new Forwarder(dutyContext, watch);
    this.duties = new DutyScheduler(shards, DaemonThreadPools.factory("asynq-duty-"));
    EffectiveQueueLimits limits = new EffectiveQueueLimits(config, broker.queueControl());
    ServerDuties.addTo(duties, parts, dutyContext, failures, aggregatorThreads);
    OverdueAttemptSettler overdueAttempts =
        new OverdueAttemptSettler(
            attempts, limits, shards, review -> settlementThreads.execute("", review));
    this.watchdog =
        new Watchdog(
            attempts,
            List.of(
                overdueAttempts::review, settlements::catchUp, workers::catchUp, duties::catchUp),
            Watchdog.REST);
    this.shutdown = new GracefulShutdown(config, attempts, settlements, limits, shards, signal);
    this.controlMessages = new ControlMessageListener(broker.cancellations(), attempts, engine);
  }

  /** Starts all threads that finish work before the one that claims it. */
  void start() {
    settlements.requireThreads("");
    if (parts.config().groups() != null) {
      aggregatorThreads.prestartAllCoreThreads();
    }
    renewer.start();
    // Before the watchdog, which replaces threads of duties that have ended.
    duties.start();
    watchdog.start();
    controlMessages.start();
    forwarder.start();
    claimLoop.start();
  }

  /** Ends the threads of an incomplete start, without waiting for them. */
  void undoStart() {
    claimLoop.stop();
    forwarder.stop();
    watch.close();
    duties.stop(Duration.ZERO);
    aggregatorThreads.shutdownNow();
    controlMessages.stop();
    settlements.giveUp();
    settlementThreads.close().forEach(ExecutorService::shutdownNow);
    shardThreads.shutdownNow();
    watchdog.stop();
    renewer.stop();
    workers.close();
  }

  /** Stops producers before their consumers, and extends leases until none is needed. */
  void stop() {
    quiet();
    claimLoop.join();
    shutdown.waitForHandlers();
    shutdown.flush();
    shutdown.requeueUnfinished();
    forwarder.stop();
    forwarder.join();
    watch.close();
    duties.stop(GracefulShutdown.FLUSH_TIMEOUT);
    DaemonThreadPools.shutDown(aggregatorThreads, GracefulShutdown.FLUSH_TIMEOUT);
    controlMessages.stop();
    settlements.giveUp();
    settlementThreads
        .close()
        .forEach(pool -> DaemonThreadPools.shutDown(pool, GracefulShutdown.FLUSH_TIMEOUT));
    watchdog.stop();
    watchdog.join();
    renewer.stop();
    renewer.join();
    shardThreads.shutdownNow();
    workers.close();
    failures.reportUnlogged(/* all= */ true);
    shutdown.reportSurvivors();
  }

  /** Claims no more tasks. */
  void quiet() {
    claimLoop.stop();
    renewer.showSoon();
  }

  void pause(Duration time) {
    signal.await(time.toNanos());
  }

  /** Returns the number of running handlers. */
  int busy() {
    return workers.busy();
  }

  private Presence.Server presence() {
    Map<String, Integer> weights = new HashMap<>();
    parts.queues().weights().forEach((queue, weight) -> weights.put(queue.value(), weight));
    return new Presence.Server(
        host,
        (int) ProcessHandle.current().pid(),
        engine.id(),
        parts.config().concurrency(),
        weights,
        parts.config().strictPriority(),
        goStatus(engine.state()),
        startedAt,
        workers.busy(),
        parts.config().heartbeat());
  }

  /** Returns the status that Go's tools show. */
  private static String goStatus(ServerState state) {
    return switch (state) {
      case NEW -> "new";
      case ACTIVE -> "active";
      case QUIET -> "stopped";
      case STOPPING, CLOSED -> "closed";
    };
  }
}
