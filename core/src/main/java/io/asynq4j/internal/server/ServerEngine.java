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
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.redis.store.BrokerConnection;
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
import io.asynq4j.internal.server.settle.SettlementThreadPools;
import io.asynq4j.internal.server.shard.HealthTracker;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.internal.text.HostName;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerHealth;
import io.asynq4j.server.ServerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The actors of a server, and the order in which they begin and end. */
public final class ServerEngine {

  private static final Logger log = LoggerFactory.getLogger(ServerEngine.class);

  private static final int MOST_STOPS = 10;

  /** New queues are looked for less often than tasks. */
  private static final int FIND_QUEUES_EACH = 5;

  private final String id = UUID.randomUUID().toString();
  private final RedisConnection redis;
  private final Broker broker;
  private final ServerConfig config;
  private final Handler<Task> handler;
  private final CompositeServerListener events;
  private final OutcomePolicy policy;
  private final FailureLog failures;
  private final ServedQueues queues;
  private final HealthTracker vitals;
  private final OutageTracker outages;
  private final AttemptRegistry attempts = new AttemptRegistry();
  private final AtomicBoolean failed = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Changed with the lock held; read without it, since a start may wait for Redis. */
  private volatile ServerState state = ServerState.NEW;

  private volatile @Nullable Running running;
  private volatile Broker.@Nullable Registration beforeClose;

  public ServerEngine(RedisConnection redis, ServerConfig config, Handler<Task> handler) {
    this.redis = redis;
    this.broker = BrokerConnection.brokerOf(redis);
    this.config = config;
    this.handler = handler;
    this.events = new CompositeServerListener(config.listeners());
    this.policy = new OutcomePolicy(config.outcomeRules());
    this.failures =
        new FailureLog(config.failureLogLimit(), config.logsEveryStackTrace(), System::nanoTime);
    this.queues = new ServedQueues(config);
    this.vitals = new HealthTracker(broker.clock());
    this.outages = new OutageTracker(events, vitals);
  }

  /** What exists only while the server runs. */
  private final class Running implements AttemptHost.Sink {
    final Instant startedAt = broker.clock().instant();
    final String host = HostName.local();
    final WakeupSignal signal = new WakeupSignal();
    final SharedQueueWatch watcher = new SharedQueueWatch(broker.watches());
    final SettlementThreadPools settlerThreads =
        SettlementThreadPools.madeBy(daemons("asynq-settler-"));
    final ExecutorService shardThreads = Executors.newCachedThreadPool(daemons("asynq-lane-"));
    final ShardTopology shards = new ShardTopology(broker.watches(), outages, shardThreads);
    final ThreadPoolExecutor aggregatorThreads = threads(groupParallelism(), "asynq-aggregator-");
    final QueueReadiness readiness =
        new QueueReadiness(config, queues, broker.clock(), signal, watcher);
    final AttemptReportWriter reports = new AttemptReportWriter(broker.leases(), shards);
    final AttemptExecutor workers =
        new AttemptExecutor(config.concurrency(), config.executor(), signal);
    final SettlementBuffer settler =
        new SettlementBuffer(
            config,
            broker.leases(),
            attempts,
            shards,
            events,
            settlerThreads,
            reports,
            signal,
            readiness::settled,
            ServerEngine.this::fail);
    final LeaseRenewer keeper =
        new LeaseRenewer(
            config,
            broker,
            attempts,
            shards,
            redis::ping,
            new ServerPresence(
                broker.presence(),
                attempts,
                () -> presence(workers.busy()),
                config.heartbeat().multipliedBy(2)),
            vitals,
            ServerEngine.this::fail);
    final ClaimLoop processor =
        new ClaimLoop(
            config,
            new AttemptHost(
                config, handler, events, policy, failures, broker.leases(), broker.clock(), this),
            queues,
            workers,
            settler,
            attempts,
            shards,
            signal,
            readiness,
            keeper::showSoon,
            ServerEngine.this::fail);
    final Forwarder forwarder = new Forwarder(config, broker, queues, shards, watcher);
    final EffectiveQueueLimits limits = new EffectiveQueueLimits(config, broker.inspection());
    final OverdueAttemptSettler overdue =
        new OverdueAttemptSettler(
            attempts, limits, shards, review -> settlerThreads.execute("", review));
    final Watchdog watchdog =
        new Watchdog(
            attempts,
            () -> {
              overdue.review();
              settler.catchUp();
              workers.catchUp();
            });
    final GracefulShutdown drain =
        new GracefulShutdown(config, attempts, settler, limits, shards, signal);
    final DutyScheduler duties = new DutyScheduler(shards);
    final CancellationListener cancellations =
        new CancellationListener(broker.cancellations(), this::hear);
    final Thread processorThread = actor("asynq-processor", processor);
    final Thread forwarderThread = actor("asynq-forwarder", forwarder);
    final Thread watchdogThread = actor("asynq-watchdog", watchdog);
    final Thread keeperThread = actor("asynq-keeper", keeper);

    /** All threads that finish work are there before the one that claims it. */
    void start() {
      settler.requireThreads("");
      if (config.groups() != null) {
        aggregatorThreads.prestartAllCoreThreads();
      }
      keeperThread.start();
      watchdogThread.start();
      cancellations.start();
      duties.start(allDuties());
      forwarderThread.start();
      processorThread.start();
    }

    /** Ends the threads that were started before another could not be; waits for none of them. */
    void undoStart() {
      processor.stop();
      forwarder.stop();
      watcher.close();
      duties.stop(Duration.ZERO);
      aggregatorThreads.shutdownNow();
      cancellations.stop();
      settler.giveUp();
      settlerThreads.close().forEach(ExecutorService::shutdownNow);
      shardThreads.shutdownNow();
      watchdog.stop();
      keeper.stop();
      workers.close();
    }

    @Override
    public void settle(Attempt attempt, AppliedOutcome applied) {
      settler.add(attempt, applied);
    }

    @Override
    public void returned(Attempt attempt) {
      attempts.returned(attempt);
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
      all.add(new Recoverer(config, broker, queues, shards, events));
      all.add(new Janitor(config, broker, queues, shards));
      all.add(new Repairer(config, broker, queues, shards));
      all.add(new PresenceSweeper(broker.presence(), config.heartbeat()));
      all.add(failures);
      if (queues.hasPatterns()) {
        all.add(
            new QueueFinder(
                broker.inspection(), queues, config.pollInterval().multipliedBy(FIND_QUEUES_EACH)));
      }
      if (config.defined() != null) {
        all.add(config.defined().duty(queues));
      }
      if (config.groups() != null) {
        all.add(
            new Aggregator(
                config.groups(), broker, queues, typeOptions(), shards, aggregatorThreads));
      }
      if (config.healthCheck() != null) {
        all.add(new HealthCheck(config.healthInterval(), redis::ping, config.healthCheck()));
      }
      return all;
    }

    private Function<String, TaskOptions> typeOptions() {
      return handler instanceof Mux mux ? mux::options : type -> TaskOptions.defaults();
    }

    private int groupParallelism() {
      GroupConfig groups = config.groups();
      return groups == null ? 1 : groups.parallelism();
    }

    /** A task to cancel, by its id alone as Go has it, or an order of ours. */
    private void hear(String message) {
      Optional<ControlMessage> order = ControlMessage.parse(message);
      if (order.isEmpty()) {
        attempts.withId(message).forEach(attempt -> attempt.cancel(CancelReason.REQUESTED));
      } else if (order.get() instanceof ControlMessage.Cancel cancel) {
        attempts.withId(cancel.id()).stream()
            .filter(attempt -> attempt.queue().equals(cancel.queue()))
            .forEach(attempt -> attempt.cancel(cancel.after()));
      } else if (order.get().equals(new ControlMessage.Quiet(id))) {
        log.info("server {} is told to be quiet by an inspector", id);
        quiet();
      } else if (order.get().equals(new ControlMessage.Stop(id))) {
        log.info("server {} is told to stop by an inspector", id);
        // On a thread of its own: this one is the subscription's, which a stop ends.
        daemons("asynq-told-to-stop").newThread(ServerEngine.this::stop).start();
      }
    }

    /** Whoever sends ends before whoever receives; leases are kept until nothing needs one. */
    void stop() {
      processor.stop();
      keeper.showSoon();
      join(processorThread);
      drain.waitForHandlers();
      drain.flush();
      drain.giveBackTheRest();
      forwarder.stop();
      join(forwarderThread);
      watcher.close();
      duties.stop(GracefulShutdown.FLUSH_TIMEOUT);
      shutDown(aggregatorThreads);
      cancellations.stop();
      settler.giveUp();
      settlerThreads.close().forEach(ServerEngine::shutDown);
      watchdog.stop();
      join(watchdogThread);
      keeper.stop();
      join(keeperThread);
      shardThreads.shutdownNow();
      workers.close();
      failures.close();
      drain.reportSurvivors();
    }
  }

  private static ThreadPoolExecutor threads(int count, String name) {
    return new ThreadPoolExecutor(
        count, count, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(name));
  }

  private static Thread actor(String name, Runnable actor) {
    return daemons(name).newThread(ThreadSupervisor.untilReturned(actor));
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name.endsWith("-") ? name + number.incrementAndGet() : name);
      thread.setDaemon(true);
      return thread;
    };
  }

  private static void join(Thread thread) {
    if (thread == Thread.currentThread()) {
      // A listener stops the server that tells it something.
      return;
    }
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void shutDown(ExecutorService threads) {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(
          GracefulShutdown.FLUSH_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  public synchronized void start() {
    switch (state) {
      case NEW -> {
        // First: a connection that is closed is of no use to anything that follows.
        beforeClose = broker.beforeClose(this::stopBeforeClose);
        Running started;
        try {
          if (config.defined() != null) {
            config.defined().begin(queues);
          }
          started = new Running();
        } catch (RuntimeException | Error e) {
          forgetClose();
          throw e;
        }
        running = started;
        state = ServerState.ACTIVE;
        try {
          started.start();
        } catch (RuntimeException | Error e) {
          // Such as a lack of threads: nothing has been claimed, and a later start may do.
          running = null;
          state = ServerState.NEW;
          started.undoStart();
          forgetClose();
          throw e;
        }
        log.info("server {} processes tasks of {}", id, queues.weights());
      }
      case ACTIVE, QUIET -> throw new IllegalStateException("the server runs already");
      case STOPPING, CLOSED ->
          throw new IllegalStateException("the server was stopped; build a new one");
    }
  }

  public synchronized void quiet() {
    Running current = running;
    if (state == ServerState.ACTIVE && current != null) {
      state = ServerState.QUIET;
      current.processor.stop();
      current.keeper.showSoon();
      log.info("server {} claims no more tasks", id);
    }
  }

  public void stop() {
    Running current;
    synchronized (this) {
      current = running;
      if (state == ServerState.NEW) {
        return;
      }
      if (state == ServerState.STOPPING || state == ServerState.CLOSED) {
        current = null;
      } else {
        state = ServerState.STOPPING;
      }
    }
    if (current == null) {
      awaitOther();
      return;
    }
    try {
      stopSurely(current);
    } finally {
      synchronized (this) {
        state = ServerState.CLOSED;
      }
      forgetClose();
      closed.countDown();
      log.info("server {} has stopped", id);
    }
  }

  /** No retry mends that: a server that cannot keep its leases, or settle, must not run on. */
  private void fail(LinkageError error) {
    if (!failed.compareAndSet(false, true)) {
      return;
    }
    try {
      // On a thread of its own: this one may be one that a stop ends.
      daemons("asynq-failed").newThread(this::stop).start();
    } catch (RuntimeException | Error e) {
      failed.set(false);
      throw e;
    }
    log.error(
        "server {} ends: code could not be linked, so it cannot claim tasks, keep their leases or settle them;"
            + " check the versions of the dependencies, and the memory of the process",
        id,
        error);
  }

  /** An error must not leave threads behind that hold leases: what is done twice has no effect. */
  private static void stopSurely(Running current) {
    for (int tries = 1; ; tries++) {
      try {
        current.stop();
        return;
      } catch (RuntimeException | Error e) {
        if (tries == MOST_STOPS) {
          throw e;
        }
        SafeLog.error(log, "stopping failed and is tried again", e);
        current.signal.await(Duration.ofMillis(100).toNanos());
      }
    }
  }

  private void forgetClose() {
    Broker.Registration registration = beforeClose;
    if (registration != null) {
      registration.close();
    }
  }

  private void stopBeforeClose() {
    ServerState now = state();
    if (now == ServerState.ACTIVE || now == ServerState.QUIET) {
      log.error(
          "the connection to Redis is closed while server {} uses it, so the server stops first;"
              + " stop servers before you close their connection",
          id);
    }
    stop();
  }

  /** Another thread stops it: this one returns when that one is done. */
  private void awaitOther() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean awaitStop(Duration most) throws InterruptedException {
    return closed.await(TimeMath.nanos(most), TimeUnit.NANOSECONDS);
  }

  public ServerState state() {
    return state;
  }

  public ServerHealth health() {
    return vitals.health(state(), config.lease());
  }

  public String id() {
    return id;
  }

  public int running() {
    Running current = running;
    return current == null ? 0 : current.workers.busy();
  }

  public void followDefinitions() {
    if (config.defined() != null) {
      config.defined().follow(queues);
    }
  }

  public ServedQueues queues() {
    return queues;
  }

  private Presence.Server presence(int busy) {
    Running current = running;
    Map<String, Integer> weights = new HashMap<>();
    queues.weights().forEach((queue, weight) -> weights.put(queue.value(), weight));
    return new Presence.Server(
        current == null ? HostName.local() : current.host,
        (int) ProcessHandle.current().pid(),
        id,
        config.concurrency(),
        weights,
        config.strictPriority(),
        goStatus(state()),
        current == null ? null : current.startedAt,
        busy,
        config.heartbeat());
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
