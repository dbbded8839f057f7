package io.asynq4j.service.gearman;

import io.asynq4j.BrokerException;
import io.asynq4j.Durability;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.lease.TaskLeases.CancellationWatch;
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
import io.asynq4j.service.limit.PendingTaskLimiter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server for gearman's protocol on a port of its own: its clients submit tasks, its workers
 * execute them. A function is the task of the same name, and jobs are tasks in Redis. So a client
 * can wait for a task that any other worker executes, and a worker can execute a task that any
 * other client has enqueued. Any number of gateways can use the same Redis. Thread-safe.
 *
 * <p>The gateway does not close the connection to Redis. A {@code TaskServer} for the queues of the
 * definitions is needed for due times, retries, lost leases and retention.
 */
public final class GearmanGateway implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(GearmanGateway.class);

  private static final Duration DEFINITIONS_INTERVAL = Duration.ofSeconds(2);

  /** Interval at which queues and results are polled, as notifications may get lost. */
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private static final Duration OVERDUE_INTERVAL = Duration.ofMillis(500);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int LOOKUP_THREADS = 2;
  private static final int TIMER_THREADS = 3;

  private final TaskClient client;
  private final GatewayComponents components;
  private final ServerThreadPools lookups;
  private final ScheduledExecutorService timer;
  private final CancellationWatch cancellations;
  private final Duration drainTimeout;
  private final Duration pollInterval;
  private final AtomicBoolean closed = new AtomicBoolean();

  private GearmanGateway(
      RedisConnection redis,
      GearmanConfig config,
      JobValidator validator,
      AttemptListener attempts,
      PendingTaskLimiter pending,
      Durability durability,
      Duration pollInterval) {
    FunctionRegistry functions = new FunctionRegistry(redis, config);
    EventLoop loop =
        new EventLoop(
            new InetSocketAddress(config.host(), config.port()),
            config.maxConnections(),
            config.maxPacket());
    Inspector inspector = Inspector.create(redis);
    this.client =
        TaskClient.builder(redis).maxPayload(config.maxPacket()).durability(durability).build();
    this.lookups = new ServerThreadPools("asynq-gearman-lookup-", LOOKUP_THREADS);
    this.timer =
        Executors.newScheduledThreadPool(
            TIMER_THREADS, DaemonThreadPools.factory("asynq-gearman-timer-"));
    this.drainTimeout = config.drainTimeout();
    this.pollInterval = pollInterval;
    ResultNotifier results = new ResultNotifier(inspector, functions.servers(), loop, pollInterval);
    AssignedJobRegistry jobs = new AssignedJobRegistry(functions, loop, config, attempts);
    GatewayBus bus = new GatewayBus(redis, loop, new BusListener(results, jobs));
    results.start(bus::pollAfterMessages);
    this.cancellations =
        functions
            .leases()
            .watchCancellations(
                id -> jobs.withId(id).forEach(job -> stopIfCancelled(functions, jobs, job)));
    JobClaimer claimer =
        new JobClaimer(functions, loop, config.lease(), redis.clock(), timer, attempts);
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
                validator,
                pending,
                config.resultRetention()),
            claimer,
            jobs,
            results,
            bus,
            inspector,
            lookups,
            redis.clock());
  }

  /** Handles the messages of other gateways. */
  private record BusListener(ResultNotifier results, AssignedJobRegistry jobs)
      implements GatewayBus.Listener {

    @Override
    public void packet(JobKey key, ByteBuffer packet) {
      results.forwardFromOtherGateway(key, packet);
    }

    @Override
    public void poll(JobKey key) {
      results.poll(key);
    }

    @Override
    public void subscribed(JobKey key, String gateway) {
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
      log.warn("a cancelled task continues to run: {}", e.getMessage());
    }
  }

  /** Starts a gateway. Throws when the port is in use, and when Redis does not respond. */
  public static GearmanGateway start(RedisConnection redis, GearmanConfig config) {
    return start(redis, config, POLL_INTERVAL);
  }

  /**
   * Starts a gateway.
   *
   * @param pollInterval interval at which queues and results are polled
   */
  static GearmanGateway start(RedisConnection redis, GearmanConfig config, Duration pollInterval) {
    return start(
        new GearmanGateway(
            redis,
            config,
            (definition, payload) -> Optional.empty(),
            AttemptListener.NONE,
            new PendingTaskLimiter(Inspector.create(redis)),
            Durability.PRIMARY,
            pollInterval));
  }

  /**
   * Starts a gateway.
   *
   * @param validator validates submitted jobs
   * @param attempts called before and after attempts of workers
   * @param pending shared by all that enqueue tasks in this process
   * @param durability condition for the confirmation of a submitted job
   */
  public static GearmanGateway start(
      RedisConnection redis,
      GearmanConfig config,
      JobValidator validator,
      AttemptListener attempts,
      PendingTaskLimiter pending,
      Durability durability) {
    return start(
        new GearmanGateway(redis, config, validator, attempts, pending, durability, POLL_INTERVAL));
  }

  private static GearmanGateway start(GearmanGateway gateway) {
    gateway.start();
    return gateway;
  }

  private void start() {
    every(DEFINITIONS_INTERVAL, "task definitions cannot be read", components.functions()::refresh);
    every(pollInterval, "queues cannot be checked", components.claimer()::recheck);
    every(OVERDUE_INTERVAL, "overdue jobs cannot be ended", components.jobs()::endOverdue);
    every(
        components.config().lease().dividedBy(3),
        "leases cannot be extended",
        components.jobs()::extendLeases);
    components.loop().start(connection -> new PeerSession(connection, components));
    log.info(
        "gearman gateway listens on {}:{}{}",
        components.config().host(),
        port(),
        components.config().allowInsecure() ? ", without passwords or encryption" : "");
  }

  private void every(Duration interval, String problem, Runnable action) {
    AtomicBoolean failing = new AtomicBoolean();
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(
            () -> {
              try {
                action.run();
                failing.set(false);
              } catch (BrokerException e) {
                if (!failing.getAndSet(true)) {
                  log.warn("gearman gateway: {}: {}", problem, e.getMessage());
                }
              } catch (RuntimeException | Error e) {
                // Including a lack of memory: an action that throws is not repeated.
                SafeLog.error(log, problem, e);
              }
            },
            interval.toMillis(),
            interval.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** The port on which the gateway listens. */
  public int port() {
    return components.loop().port();
  }

  /** Number of jobs that its workers have. */
  public int running() {
    return components.jobs().size();
  }

  /**
   * Stops accepting connections and jobs and claiming tasks, and waits for the jobs that workers
   * have, up to {@link GearmanConfig#drainTimeout}. Then the others are requeued at the head of
   * their queues.
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
              .forEach(each -> PeerSession.of(each).ifPresent(PeerSession::drain));
        });
    awaitWorkers();
    components.claimer().close(CLOSE_TIMEOUT);
    components.submitter().close(CLOSE_TIMEOUT);
    cancellations.close();
    components.bus().close(CLOSE_TIMEOUT);
    components.loop().close();
    components.jobs().close(CLOSE_TIMEOUT);
    components.results().close();
    timer.shutdownNow();
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
      done.get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.warn("the gearman gateway does not stop in an orderly way", e);
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
      log.warn("{} jobs of gearman workers are requeued", running());
    }
  }
}
