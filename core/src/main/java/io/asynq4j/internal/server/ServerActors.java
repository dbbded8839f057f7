package io.asynq4j.internal.server;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Handler;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptExecutor;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.attempt.FailureLog;
import io.asynq4j.internal.server.attempt.OverdueAttemptSettler;
import io.asynq4j.internal.server.attempt.Watchdog;
import io.asynq4j.internal.server.claim.ClaimLoop;
import io.asynq4j.internal.server.claim.QueueReadiness;
import io.asynq4j.internal.server.config.EffectiveQueueLimits;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.duty.Duty;
import io.asynq4j.internal.server.duty.DutyContext;
import io.asynq4j.internal.server.duty.DutyScheduler;
import io.asynq4j.internal.server.duty.Forwarder;
import io.asynq4j.internal.server.settle.AttemptReportWriter;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.settle.SettlementContext;
import io.asynq4j.internal.server.settle.SettlementThreadPools;
import io.asynq4j.internal.server.shard.HealthTracker;
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
final class ServerActors implements AttemptHost.Sink {

  /** What actors can do to their server. */
  interface Control {
    ServerState state();

    void quiet();

    void stop();

    /** Stops a server that can never extend its leases or settle tasks. */
    void fail(LinkageError error);
  }

  /** The parts of a server that exist before it starts. */
  record Parts(
      String id,
      RedisConnection redis,
      Broker broker,
      ServerConfig config,
      Handler<Task> handler,
      CompositeServerListener events,
      OutcomePolicy policy,
      FailureLog failures,
      ServedQueues queues,
      HealthTracker health,
      OutageTracker outages,
      AttemptRegistry attempts) {}

  private final Parts parts;
  private final Control control;
  private final Instant startedAt;
  private final String host = HostName.local();
  private final WakeupSignal signal;
  private final SharedQueueWatch watch;
  private final SettlementThreadPools settlementThreads;
  private final ExecutorService shardThreads;
  private final ThreadPoolExecutor aggregatorThreads;
  private final AttemptReportWriter reports;
  private final AttemptExecutor workers;
  private final SettlementBuffer settlements;
  private final LeaseRenewer renewer;
  private final ClaimLoop claimLoop;
  private final Forwarder forwarder;
  private final Watchdog watchdog;
  private final GracefulShutdown shutdown;
  private final DutyScheduler duties;
  private final List<Duty> allDuties;
  private final ControlMessageListener controlMessages;
  private final Thread claimLoopThread;
  private final Thread forwarderThread;
  private final Thread watchdogThread;
  private final Thread renewerThread;

  ServerActors(Parts parts, Control control) {
    this.parts = parts;
    this.control = control;
    ServerConfig config = parts.config();
    Broker broker = parts.broker();
    AttemptRegistry attempts = parts.attempts();
    this.startedAt = broker.clock().instant();
    this.signal = new WakeupSignal();
    this.watch = new SharedQueueWatch(broker.watches());
    this.settlementThreads =
        SettlementThreadPools.createdBy(DaemonThreadPools.factory("asynq-settler-"));
    this.shardThreads = Executors.newCachedThreadPool(DaemonThreadPools.factory("asynq-lane-"));
    ShardTopology shards = new ShardTopology(broker.watches(), parts.outages(), shardThreads);
    this.aggregatorThreads =
        ServerThreads.pool(
            config.groups() == null ? 1 : config.groups().parallelism(), "asynq-aggregator-");
    QueueReadiness readiness =
        new QueueReadiness(config, parts.queues(), broker.clock(), signal, watch);
    this.reports = new AttemptReportWriter(broker.leases(), shards);
    this.workers = new AttemptExecutor(config.concurrency(), config.executor(), signal);
    this.settlements =
        new SettlementBuffer(
            new SettlementContext(
                config,
                broker.leases(),
                attempts,
                shards,
                parts.events(),
                settlementThreads,
                reports,
                queue -> {
                  signal.raise();
                  readiness.settled(queue);
                },
                control::fail));
    this.renewer =
        new LeaseRenewer(
            config,
            broker,
            attempts,
            shards,
            parts.redis()::ping,
            new ServerPresence(
                broker.presence(), attempts, this::presence, config.heartbeat().multipliedBy(2)),
            parts.health(),
            control::fail);
    this.claimLoop =
        new ClaimLoop(
            new AttemptHost(
                config,
                parts.handler(),
                parts.events(),
                parts.policy(),
                parts.failures(),
                broker.leases(),
                broker.clock(),
                this),
            parts.queues(),
            workers,
            settlements,
            attempts,
            shards,
            signal,
            readiness,
            renewer::showSoon,
            control::fail);
    DutyContext dutyContext = new DutyContext(config, broker, parts.queues(), shards);
    this.forwarder = new Forwarder(dutyContext, watch);
    this.duties = new DutyScheduler(shards);
    this.allDuties = ServerDuties.of(parts, dutyContext, aggregatorThreads);
    EffectiveQueueLimits limits = new EffectiveQueueLimits(config, broker.inspection());
    OverdueAttemptSettler overdueAttempts =
        new OverdueAttemptSettler(
            attempts, limits, shards, review -> settlementThreads.execute("", review));
    this.watchdog =
        new Watchdog(
            attempts,
            () -> {
              overdueAttempts.review();
              settlements.catchUp();
              workers.catchUp();
            },
            Watchdog.REST);
    this.shutdown = new GracefulShutdown(config, attempts, settlements, limits, shards, signal);
    this.controlMessages =
        new ControlMessageListener(broker.cancellations(), parts.id(), attempts, control);
    this.claimLoopThread = ServerThreads.actor("asynq-claim-loop", claimLoop);
    this.forwarderThread = ServerThreads.actor("asynq-forwarder", forwarder);
    this.watchdogThread = ServerThreads.actor("asynq-watchdog", watchdog);
    this.renewerThread = ServerThreads.actor("asynq-lease-renewer", renewer);
  }

  /** Starts all threads that finish work before the one that claims it. */
  void start() {
    settlements.requireThreads("");
    if (parts.config().groups() != null) {
      aggregatorThreads.prestartAllCoreThreads();
    }
    renewerThread.start();
    watchdogThread.start();
    controlMessages.start();
    duties.start(allDuties);
    forwarderThread.start();
    claimLoopThread.start();
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

  @Override
  public void settle(Attempt attempt, AppliedOutcome applied) {
    settlements.add(attempt, applied);
  }

  @Override
  public void returned(Attempt attempt) {
    parts.attempts().returned(attempt);
  }

  @Override
  public void progress(Attempt attempt, Progress progress) {
    reports.progress(attempt, progress);
  }

  @Override
  public boolean writeResult(Attempt attempt, Payload result) {
    return reports.result(attempt, result);
  }

  /** Stops producers before their consumers, and extends leases until none is needed. */
  void stop() {
    claimLoop.stop();
    renewer.showSoon();
    ServerThreads.join(claimLoopThread);
    shutdown.waitForHandlers();
    shutdown.flush();
    shutdown.requeueUnfinished();
    forwarder.stop();
    ServerThreads.join(forwarderThread);
    watch.close();
    duties.stop(GracefulShutdown.FLUSH_TIMEOUT);
    ServerThreads.shutDown(aggregatorThreads);
    controlMessages.stop();
    settlements.giveUp();
    settlementThreads.close().forEach(ServerThreads::shutDown);
    watchdog.stop();
    ServerThreads.join(watchdogThread);
    renewer.stop();
    ServerThreads.join(renewerThread);
    shardThreads.shutdownNow();
    workers.close();
    parts.failures().close();
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
        parts.id(),
        parts.config().concurrency(),
        weights,
        parts.config().strictPriority(),
        goStatus(control.state()),
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
