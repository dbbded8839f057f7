package io.asynq4j.server;

import io.asynq4j.Progress;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.HostName;
import io.asynq4j.broker.Order;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.TaskSource;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.redis.RedisConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The actors of a server, and the order in which they begin and end. */
final class Engine implements AttemptHost {

  private static final Logger log = LoggerFactory.getLogger(Engine.class);

  private static final int SETTLER_THREADS = 4;

  /** How long the last settlements may take, after all handlers have ended or been given up. */
  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(5);

  /** New queues are looked for less often than tasks. */
  private static final int FIND_QUEUES_EACH = 5;

  private final String id = UUID.randomUUID().toString();
  private final RedisConnection redis;
  private final Broker broker;
  private final ServerConfig config;
  private final Handler<Task> handler;
  private final Events events;
  private final Endings endings;
  private final Queues queues;
  private final Outages outages;
  private final Attempts attempts = new Attempts();
  private final CountDownLatch closed = new CountDownLatch(1);

  private ServerState state = ServerState.NEW;
  private volatile @Nullable Running running;

  Engine(RedisConnection redis, ServerConfig config, Handler<Task> handler) {
    this.redis = redis;
    this.broker = redis.broker();
    this.config = config;
    this.handler = handler;
    this.events = new Events(config.listeners());
    this.endings = new Endings(config);
    this.queues = new Queues(config);
    this.outages = new Outages(events);
  }

  /** What exists only while the server runs. */
  private final class Running {
    final Instant startedAt = clock().instant();
    final String host = HostName.local();
    final Signal signal = new Signal();
    final Watcher watcher = new Watcher(broker.lookout());
    final ExecutorService settlerThreads =
        Executors.newFixedThreadPool(SETTLER_THREADS, daemons("asynq-settler-"));
    final ExecutorService aggregatorThreads =
        Executors.newFixedThreadPool(groupParallelism(), daemons("asynq-aggregator-"));
    final Workers workers = new Workers(config.concurrency(), config.executor(), signal);
    final Settler settler =
        new Settler(
            config,
            broker.source(),
            attempts,
            outages,
            events,
            settlerThreads,
            signal,
            queue -> Running.this.processor.settled(queue));
    final Processor processor =
        new Processor(
            config, Engine.this, queues, workers, settler, attempts, outages, signal, watcher);
    final Forwarder forwarder = new Forwarder(config, broker, queues, outages, watcher);
    final LeaseKeeper keeper =
        new LeaseKeeper(
            config, broker, attempts, outages, redis::ping, () -> presence(workers.busy()));
    final Watchdog watchdog = new Watchdog(broker, attempts);
    final Duties duties = new Duties(outages);
    final CancellationListener cancellations =
        new CancellationListener(broker.cancellations(), this::hear);
    final Thread processorThread = daemons("asynq-processor").newThread(processor);
    final Thread forwarderThread = daemons("asynq-forwarder").newThread(forwarder);
    final Thread watchdogThread = daemons("asynq-watchdog").newThread(watchdog);
    final Thread keeperThread = daemons("asynq-keeper").newThread(keeper);

    void start() {
      keeperThread.start();
      watchdogThread.start();
      cancellations.start();
      duties.start(allDuties());
      forwarderThread.start();
      processorThread.start();
    }

    private List<Duty> allDuties() {
      List<Duty> all = new ArrayList<>();
      all.add(new Recoverer(config, broker, queues, outages, events));
      all.add(new Janitor(config, broker, queues));
      all.add(new Repairer(config, broker, queues));
      if (queues.hasPatterns()) {
        all.add(
            new QueueFinder(
                broker.inspection(), queues, config.pollInterval().multipliedBy(FIND_QUEUES_EACH)));
      }
      if (config.defined() != null) {
        all.add(config.defined().duty(queues));
      }
      if (config.groups() != null) {
        all.add(new Aggregator(config.groups(), broker, queues, aggregatorThreads));
      }
      if (config.healthCheck() != null) {
        all.add(new HealthCheck(config.healthInterval(), redis::ping, config.healthCheck()));
      }
      return all;
    }

    private int groupParallelism() {
      GroupConfig groups = config.groups();
      return groups == null ? 1 : groups.parallelism();
    }

    /** A task to cancel, by its id alone as Go has it, or an order of ours. */
    private void hear(String message) {
      Optional<Order> order = Order.parse(message);
      if (order.isEmpty()) {
        attempts.withId(message).forEach(attempt -> attempt.cancel(CancelReason.REQUESTED));
      } else if (order.get() instanceof Order.Cancel cancel) {
        attempts.withId(cancel.id()).stream()
            .filter(attempt -> attempt.queue().equals(cancel.queue()))
            .forEach(attempt -> attempt.cancelAnd(cancel.after()));
      } else if (order.get().equals(new Order.Quiet(id))) {
        log.info("server {} is told to be quiet by an inspector", id);
        quiet();
      } else if (order.get().equals(new Order.Stop(id))) {
        log.info("server {} is told to stop by an inspector", id);
        // On a thread of its own: this one is the subscription's, which a stop ends.
        daemons("asynq-told-to-stop").newThread(Engine.this::stop).start();
      }
    }

    /** Whoever sends ends before whoever receives; leases are kept until nothing needs one. */
    void stop() {
      processor.stop();
      keeper.showSoon();
      join(processorThread);
      waitForHandlers();
      flush();
      requeueTheRest();
      forwarder.stop();
      join(forwarderThread);
      watcher.close();
      duties.stop(FLUSH_TIMEOUT);
      shutDown(aggregatorThreads);
      cancellations.stop();
      settler.giveUp();
      shutDown(settlerThreads);
      watchdog.stop();
      join(watchdogThread);
      keeper.stop();
      join(keeperThread);
      workers.close();
    }

    private void waitForHandlers() {
      long end = System.nanoTime() + config.shutdownTimeout().toNanos();
      while (attempts.all().stream().anyMatch(attempt -> !attempt.isDecided())
          && end - System.nanoTime() > 0) {
        signal.await(Math.min(end - System.nanoTime(), Duration.ofMillis(100).toNanos()));
      }
    }

    private void flush() {
      long end = System.nanoTime() + FLUSH_TIMEOUT.toNanos();
      while (isUnsettled() && end - System.nanoTime() > 0) {
        signal.await(Math.min(end - System.nanoTime(), Duration.ofMillis(100).toNanos()));
      }
    }

    /** In this order: what is handed over after the first look is seen by the second. */
    private boolean isUnsettled() {
      return attempts.all().stream().anyMatch(Attempt::isBeingDecided) || settler.waiting() > 0;
    }

    private void requeueTheRest() {
      List<Attempt> rest = new ArrayList<>(attempts.all());
      rest.sort(Comparator.comparingLong(Attempt::number));
      Map<QueueName, List<Attempt>> unfinished = new HashMap<>();
      for (Attempt attempt : rest) {
        if (attempt.abandon()) {
          unfinished.computeIfAbsent(attempt.queue(), any -> new ArrayList<>()).add(attempt);
        }
      }
      unfinished.forEach(
          (queue, ofQueue) -> {
            log.info("{} unfinished tasks go back to the head of {}", ofQueue.size(), queue);
            settler.requeue(queue, ofQueue);
          });
      flush();
    }
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
      if (!threads.awaitTermination(FLUSH_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  synchronized void start() {
    switch (state) {
      case NEW -> {
        if (config.defined() != null) {
          config.defined().begin(queues);
        }
        Running started = new Running();
        running = started;
        state = ServerState.ACTIVE;
        started.start();
        log.info("server {} processes tasks of {}", id, queues.weights());
      }
      case ACTIVE, QUIET -> throw new IllegalStateException("the server runs already");
      case STOPPING, CLOSED ->
          throw new IllegalStateException("the server was stopped; build a new one");
    }
  }

  synchronized void quiet() {
    Running current = running;
    if (state == ServerState.ACTIVE && current != null) {
      state = ServerState.QUIET;
      current.processor.stop();
      current.keeper.showSoon();
      log.info("server {} claims no more tasks", id);
    }
  }

  void stop() {
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
      current.stop();
    } finally {
      synchronized (this) {
        state = ServerState.CLOSED;
      }
      closed.countDown();
      log.info("server {} has stopped", id);
    }
  }

  /** Another thread stops it: this one returns when that one is done. */
  private void awaitOther() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean awaitStop(Duration most) throws InterruptedException {
    return closed.await(most.toNanos(), TimeUnit.NANOSECONDS);
  }

  synchronized ServerState state() {
    return state;
  }

  String id() {
    return id;
  }

  int running() {
    Running current = running;
    return current == null ? 0 : current.workers.busy();
  }

  void followDefinitions() {
    if (config.defined() != null) {
      config.defined().follow(queues);
    }
  }

  Queues queues() {
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
        state().word(),
        current == null ? null : current.startedAt,
        busy,
        config.heartbeat());
  }

  @Override
  public ServerConfig config() {
    return config;
  }

  @Override
  public Handler<Task> handler() {
    return handler;
  }

  @Override
  public ServerListener events() {
    return events;
  }

  @Override
  public Endings endings() {
    return endings;
  }

  @Override
  public TaskSource source() {
    return broker.source();
  }

  @Override
  public Clock clock() {
    return broker.clock();
  }

  @Override
  public void settle(Attempt attempt, Ended ended) {
    Running current = running;
    if (current != null) {
      current.settler.add(attempt, ended);
    }
  }

  @Override
  public void forget(Attempt attempt) {
    attempts.returned(attempt);
  }

  @Override
  public void progress(Attempt attempt, Progress progress) {
    broker.source().writeProgress(attempt.claim(), progress);
  }
}
