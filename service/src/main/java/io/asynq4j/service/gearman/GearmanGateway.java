package io.asynq4j.service.gearman;

import io.asynq4j.BrokerException;
import io.asynq4j.Durability;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.CancellationWatch;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.job.AssignedJob;
import io.asynq4j.service.gearman.job.AssignedJobRegistry;
import io.asynq4j.service.gearman.job.FunctionRegistry;
import io.asynq4j.service.gearman.job.GatewayBus;
import io.asynq4j.service.gearman.job.JobClaimer;
import io.asynq4j.service.gearman.job.JobKey;
import io.asynq4j.service.gearman.job.JobSubmitter;
import io.asynq4j.service.gearman.job.ResultNotifier;
import io.asynq4j.service.gearman.protocol.EventLoop;
import io.asynq4j.service.gearman.session.GatewayComponents;
import io.asynq4j.service.gearman.session.PeerSession;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks gearman's protocol on a port of its own: its clients hand in tasks, its workers execute
 * them. A function is the task of its name, and jobs are tasks in Redis; so a client may wait for
 * what any other worker executes, and a worker may execute what anybody has handed in. Any number
 * of gateways may work on one Redis. Thread-safe.
 *
 * <p>It uses a connection to Redis and does not close it. Due times, retries, lost leases and
 * retention are seen to by a {@code TaskServer} that cares for the queues of the definitions.
 */
public final class GearmanGateway implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(GearmanGateway.class);

  private static final Duration DEFINITIONS_INTERVAL = Duration.ofSeconds(2);

  /** How often queues and results are looked at that nobody has told of: a message may get lost. */
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

  private static final Duration OVERDUE_INTERVAL = Duration.ofMillis(500);
  private static final Duration ENDING = Duration.ofSeconds(5);
  private static final int LOOKUP_THREADS = 2;
  private static final int CHORE_THREADS = 3;

  private final TaskClient client;
  private final GatewayComponents components;
  private final ServerThreadPools lookups;
  private final ScheduledExecutorService chores;
  private final CancellationWatch cancellations;
  private final Duration drainTimeout;
  private final Duration lookInterval;
  private final AtomicBoolean closed = new AtomicBoolean();

  private GearmanGateway(
      RedisConnection redis,
      GearmanConfig config,
      JobValidator admission,
      AttemptListener attempts,
      Durability durability,
      Duration lookInterval) {
    FunctionRegistry functions = new FunctionRegistry(redis, config);
    EventLoop loop = new EventLoop(config);
    Inspector inspector = Inspector.create(redis);
    this.client =
        TaskClient.builder(redis).maxPayload(config.maxPacket()).durability(durability).build();
    this.lookups = new ServerThreadPools(daemons("look"), LOOKUP_THREADS);
    this.chores = Executors.newScheduledThreadPool(CHORE_THREADS, daemons("chore"));
    this.drainTimeout = config.drainTimeout();
    this.lookInterval = lookInterval;
    ResultNotifier results = new ResultNotifier(inspector, functions.servers(), loop, lookInterval);
    AssignedJobRegistry jobs = new AssignedJobRegistry(functions, loop, config, attempts);
    GatewayBus bus = new GatewayBus(redis, loop, new BusListener(results, jobs));
    results.start(bus::lookAfterAll);
    this.cancellations =
        functions
            .leases()
            .watchCancellations(
                id -> jobs.withId(id).forEach(job -> stopIfCancelled(functions, jobs, job)));
    JobClaimer claimer =
        new JobClaimer(functions, loop, config.lease(), redis.clock(), chores, attempts);
    functions.onChange(claimer::allQueuesChanged);
    this.components =
        new GatewayComponents(
            config,
            loop,
            functions,
            new JobSubmitter(
                functions,
                client,
                inspector,
                results,
                bus,
                claimer,
                loop,
                admission,
                config.resultRetention()),
            claimer,
            jobs,
            results,
            bus,
            inspector,
            lookups,
            redis.clock());
  }

  /** What other gateways tell this one. */
  private record BusListener(ResultNotifier results, AssignedJobRegistry jobs)
      implements GatewayBus.Listener {

    @Override
    public void passed(JobKey key, ByteBuffer packet) {
      results.forwardFromOtherGateway(key, packet);
    }

    @Override
    public void look(JobKey key) {
      results.poll(key);
    }

    @Override
    public void wanted(JobKey key, String gateway) {
      jobs.find(key.handle()).ifPresent(job -> job.listeners().add(gateway));
    }
  }

  private void stopIfCancelled(
      FunctionRegistry functions, AssignedJobRegistry jobs, AssignedJob job) {
    lookups.execute(
        functions.servers().of(job.key().queue()), () -> guarded(() -> jobs.stopIfCancelled(job)));
  }

  private static void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      log.warn("a task that was cancelled goes on: {}", e.getMessage());
    }
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, "asynq-gearman-" + name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Begins to listen. Fails when the port is taken, and when Redis does not answer. */
  public static GearmanGateway start(RedisConnection redis, GearmanConfig config) {
    return start(redis, config, LOOK_INTERVAL);
  }

  /**
   * The same.
   *
   * @param lookInterval how often queues and results are looked at that nobody has told of
   */
  static GearmanGateway start(RedisConnection redis, GearmanConfig config, Duration lookInterval) {
    return begin(
        new GearmanGateway(
            redis,
            config,
            (definition, payload) -> Optional.empty(),
            AttemptListener.NONE,
            Durability.PRIMARY,
            lookInterval));
  }

  /**
   * The same.
   *
   * @param admission has a say in which jobs are taken in
   * @param attempts is told when workers begin and end
   * @param durability when a job counts as taken in
   */
  public static GearmanGateway start(
      RedisConnection redis,
      GearmanConfig config,
      JobValidator admission,
      AttemptListener attempts,
      Durability durability) {
    return begin(new GearmanGateway(redis, config, admission, attempts, durability, LOOK_INTERVAL));
  }

  private static GearmanGateway begin(GearmanGateway gateway) {
    gateway.begin();
    return gateway;
  }

  private void begin() {
    every(DEFINITIONS_INTERVAL, "definitions cannot be read", components.functions()::refresh);
    every(lookInterval, "queues cannot be looked at", components.claimer()::recheck);
    every(OVERDUE_INTERVAL, "overdue jobs cannot be ended", components.jobs()::endOverdue);
    every(
        components.config().lease().dividedBy(3),
        "leases cannot be extended",
        components.jobs()::extendLeases);
    components.loop().start(connection -> new PeerSession(connection, components));
    log.info(
        "gearman clients and workers are served on {}:{}{}",
        components.config().host(),
        port(),
        components.config().allowInsecure() ? ", without passwords or encryption" : "");
  }

  private void every(Duration interval, String problem, Runnable chore) {
    AtomicBoolean failing = new AtomicBoolean();
    ScheduledFuture<?> unused =
        chores.scheduleWithFixedDelay(
            () -> {
              try {
                chore.run();
                failing.set(false);
              } catch (BrokerException e) {
                if (!failing.getAndSet(true)) {
                  log.warn("{} of the gearman gateway: {}", problem, e.getMessage());
                }
              } catch (RuntimeException | Error e) {
                // Also a lack of memory: a chore that throws is not done again.
                SafeLog.error(log, problem, e);
              }
            },
            interval.toMillis(),
            interval.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** Where it listens. */
  public int port() {
    return components.loop().port();
  }

  /** How many jobs its workers have. */
  public int running() {
    return components.jobs().size();
  }

  /**
   * Accepts nobody, hands out no more jobs, takes no more in, and waits for those that workers
   * have, for as long as the configuration says; then the rest goes back to the heads of their
   * queues.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    components.claimer().drain();
    onLoop(
        () -> {
          components.loop().stopAccepting();
          components
              .loop()
              .connections()
              .forEach(each -> each.session().ifPresent(PeerSession::drain));
        });
    awaitWorkers();
    components.claimer().close(ENDING);
    components.submitter().close(ENDING);
    cancellations.close();
    components.bus().close(ENDING);
    components.loop().close();
    components.jobs().close(ENDING);
    components.results().close();
    chores.shutdownNow();
    lookups.shutdown();
    client.close();
  }

  private void onLoop(Runnable step) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    components
        .loop()
        .execute(
            () -> {
              step.run();
              done.complete(null);
            });
    try {
      done.get(ENDING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.warn("the gearman gateway does not end in order", e);
    }
  }

  private void awaitWorkers() {
    long until = System.nanoTime() + drainTimeout.toNanos();
    try {
      while (running() > 0 && until - System.nanoTime() > 0) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (running() > 0) {
      log.warn("{} jobs of gearman workers go back to their queues", running());
    }
  }
}
