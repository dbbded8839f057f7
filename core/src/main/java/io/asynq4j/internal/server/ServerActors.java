package io.asynq4j.internal.server;

import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
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
import io.asynq4j.internal.server.config.GroupConfig;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.duty.Aggregator;
import io.asynq4j.internal.server.duty.Duty;
import io.asynq4j.internal.server.duty.DutyScheduler;
import io.asynq4j.internal.server.duty.Forwarder;
import io.asynq4j.internal.server.duty.HealthCheck;
import io.asynq4j.internal.server.duty.Janitor;
import io.asynq4j.internal.server.duty.PresenceSweeper;
import io.asynq4j.internal.server.duty.QueueFinder;
import io.asynq4j.internal.server.duty.Recoverer;
import io.asynq4j.internal.server.duty.Repairer;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actors of a running server, and the order in which they start and stop. Each instance runs
 * once.
 */
final class ServerActors implements AttemptHost.Sink {

  private static final Logger log = LoggerFactory.getLogger(ServerActors.class);

  /** New queues are searched for less often than tasks. */
  private static final int FIND_QUEUES_EACH = 5;

  /** What actors can do to their server. */
  interface Control {
    ServerState state();

    void quiet();

    void stop();

    /** Stops a server that cannot keep its leases, or settle. */
    void fail(LinkageError error);
  }

  /** What a server has before it starts. */
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
      HealthTracker vitals,
      OutageTracker outages,
      AttemptRegistry attempts) {}

  private final Parts parts;
  private final Control control;
  private final Instant startedAt;
  private final String host;
  private final WakeupSignal signal;
  private final SharedQueueWatch watch;
  private final SettlementThreadPools settlementThreads;
  private final ExecutorService shardThreads;
  private final ShardTopology shards;
  private final ThreadPoolExecutor aggregatorThreads;
  private final QueueReadiness readiness;
  private final AttemptReportWriter reports;
  private final AttemptExecutor workers;
  private final SettlementBuffer settlements;
  private final LeaseRenewer renewer;
  private final ClaimLoop claimLoop;
  private final Forwarder forwarder;
  private final EffectiveQueueLimits limits;
  private final OverdueAttemptSettler overdueAttempts;
  private final Watchdog watchdog;
  private final GracefulShutdown shutdown;
  private final DutyScheduler duties;
  private final CancellationListener cancellations;
  private final Thread claimLoopThread;
  private final Thread forwarderThread;
  private final Thread watchdogThread;
  private final Thread renewerThread;

  ServerActors(Parts parts, Control control) {
    this.parts = parts;
    this.control = control;
    this.startedAt = parts.broker().clock().instant();
    this.host = HostName.local();
    this.signal = new WakeupSignal();
    this.watch = new SharedQueueWatch(parts.broker().watches());
    this.settlementThreads = SettlementThreadPools.madeBy(ServerThreads.daemons("asynq-settler-"));
    this.shardThreads = Executors.newCachedThreadPool(ServerThreads.daemons("asynq-lane-"));
    this.shards = new ShardTopology(parts.broker().watches(), parts.outages(), shardThreads);
    this.aggregatorThreads = ServerThreads.pool(groupParallelism(), "asynq-aggregator-");
    this.readiness =
        new QueueReadiness(parts.config(), parts.queues(), parts.broker().clock(), signal, watch);
    this.reports = new AttemptReportWriter(parts.broker().leases(), shards);
    this.workers =
        new AttemptExecutor(parts.config().concurrency(), parts.config().executor(), signal);
    this.settlements =
        new SettlementBuffer(
            new SettlementContext(
                parts.config(),
                parts.broker().leases(),
                parts.attempts(),
                shards,
                parts.events(),
                settlementThreads,
                reports,
                signal,
                readiness::settled,
                control::fail));
    this.renewer =
        new LeaseRenewer(
            parts.config(),
            parts.broker(),
            parts.attempts(),
            shards,
            parts.redis()::ping,
            new ServerPresence(
                parts.broker().presence(),
                parts.attempts(),
                () -> presence(workers.busy()),
                parts.config().heartbeat().multipliedBy(2)),
            parts.vitals(),
            control::fail);
    this.claimLoop =
        new ClaimLoop(
            parts.config(),
            new AttemptHost(
                parts.config(),
                parts.handler(),
                parts.events(),
                parts.policy(),
                parts.failures(),
                parts.broker().leases(),
                parts.broker().clock(),
                this),
            parts.queues(),
            workers,
            settlements,
            parts.attempts(),
            shards,
            signal,
            readiness,
            renewer::showSoon,
            control::fail);
    this.forwarder = new Forwarder(parts.config(), parts.broker(), parts.queues(), shards, watch);
    this.limits = new EffectiveQueueLimits(parts.config(), parts.broker().inspection());
    this.overdueAttempts =
        new OverdueAttemptSettler(
            parts.attempts(), limits, shards, review -> settlementThreads.execute("", review));
    this.watchdog =
        new Watchdog(
            parts.attempts(),
            () -> {
              overdueAttempts.review();
              settlements.catchUp();
              workers.catchUp();
            });
    this.shutdown =
        new GracefulShutdown(parts.config(), parts.attempts(), settlements, limits, shards, signal);
    this.duties = new DutyScheduler(shards);
    this.cancellations = new CancellationListener(parts.broker().cancellations(), this::receive);
    this.claimLoopThread = ServerThreads.actor("asynq-claim-loop", claimLoop);
    this.forwarderThread = ServerThreads.actor("asynq-forwarder", forwarder);
    this.watchdogThread = ServerThreads.actor("asynq-watchdog", watchdog);
    this.renewerThread = ServerThreads.actor("asynq-lease-renewer", renewer);
  }

  /** All threads that finish work are there before the one that claims it. */
  void start() {
    settlements.requireThreads("");
    if (parts.config().groups() != null) {
      aggregatorThreads.prestartAllCoreThreads();
    }
    renewerThread.start();
    watchdogThread.start();
    cancellations.start();
    duties.start(allDuties());
    forwarderThread.start();
    claimLoopThread.start();
  }

  /** Ends the threads that were started before another could not be; waits for none of them. */
  void undoStart() {
    claimLoop.stop();
    forwarder.stop();
    watch.close();
    duties.stop(Duration.ZERO);
    aggregatorThreads.shutdownNow();
    cancellations.stop();
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

  private List<Duty> allDuties() {
    List<Duty> all = new ArrayList<>();
    all.add(new Recoverer(parts.config(), parts.broker(), parts.queues(), shards, parts.events()));
    all.add(new Janitor(parts.config(), parts.broker(), parts.queues(), shards));
    all.add(new Repairer(parts.config(), parts.broker(), parts.queues(), shards));
    all.add(new PresenceSweeper(parts.broker().presence(), parts.config().heartbeat()));
    all.add(parts.failures());
    if (parts.queues().hasPatterns()) {
      all.add(
          new QueueFinder(
              parts.broker().inspection(),
              parts.queues(),
              parts.config().pollInterval().multipliedBy(FIND_QUEUES_EACH)));
    }
    if (parts.config().defined() != null) {
      all.add(parts.config().defined().duty(parts.queues()));
    }
    if (parts.config().groups() != null) {
      all.add(
          new Aggregator(
              parts.config().groups(),
              parts.broker(),
              parts.queues(),
              typeOptions(),
              shards,
              aggregatorThreads));
    }
    if (parts.config().healthCheck() != null) {
      all.add(
          new HealthCheck(
              parts.config().healthInterval(), parts.redis()::ping, parts.config().healthCheck()));
    }
    return all;
  }

  private Function<String, TaskOptions> typeOptions() {
    return parts.handler() instanceof Mux mux ? mux::options : type -> TaskOptions.defaults();
  }

  private int groupParallelism() {
    GroupConfig groups = parts.config().groups();
    return groups == null ? 1 : groups.parallelism();
  }

  /** A request to cancel a task, by its ID alone as Go sends it, or a control message. */
  private void receive(String message) {
    Optional<ControlMessage> order = ControlMessage.parse(message);
    if (order.isEmpty()) {
      parts.attempts().withId(message).forEach(attempt -> attempt.cancel(CancelReason.REQUESTED));
    } else if (order.get() instanceof ControlMessage.Cancel cancel) {
      parts.attempts().withId(cancel.id()).stream()
          .filter(attempt -> attempt.queue().equals(cancel.queue()))
          .forEach(attempt -> attempt.cancel(cancel.after()));
    } else if (order.get().equals(new ControlMessage.Quiet(parts.id()))) {
      log.info("server {} is made quiet by an inspector", parts.id());
      control.quiet();
    } else if (order.get().equals(new ControlMessage.Stop(parts.id()))) {
      log.info("server {} is stopped by an inspector", parts.id());
      // On a thread of its own: this one is the subscription's, which a stop ends.
      ServerThreads.daemons("asynq-remote-stop").newThread(control::stop).start();
    }
  }

  /** Producers end before their consumers; leases are extended until nothing needs one. */
  void stop() {
    claimLoop.stop();
    renewer.showSoon();
    ServerThreads.join(claimLoopThread);
    shutdown.waitForHandlers();
    shutdown.flush();
    shutdown.giveBackTheRest();
    forwarder.stop();
    ServerThreads.join(forwarderThread);
    watch.close();
    duties.stop(GracefulShutdown.FLUSH_TIMEOUT);
    ServerThreads.shutDown(aggregatorThreads);
    cancellations.stop();
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

  /** Number of handlers that run. */
  int busy() {
    return workers.busy();
  }

  private Presence.Server presence(int busy) {
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
        busy,
        parts.config().heartbeat());
  }

  /** The status as Go's tools show it. */
  private static String goStatus(ServerState state) {
    return switch (state) {
      case NEW -> "new";
      case ACTIVE -> "active";
      case QUIET -> "stopped";
      case STOPPING, CLOSED -> "closed";
    };
  }
}
