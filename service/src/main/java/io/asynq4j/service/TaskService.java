package io.asynq4j.service;

import io.asynq4j.client.TaskClient;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.internal.config.DashboardSettings;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.handler.Middleware;
import io.asynq4j.http.BodyLimits;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.api.ApiServlet;
import io.asynq4j.service.api.AuditLog;
import io.asynq4j.service.api.DefinitionApi;
import io.asynq4j.service.api.Exchange;
import io.asynq4j.service.api.LeaseApi;
import io.asynq4j.service.api.OperationsApi;
import io.asynq4j.service.api.RequestRecorder;
import io.asynq4j.service.api.ServiceMetrics;
import io.asynq4j.service.api.ServiceRoutes;
import io.asynq4j.service.api.SettleApi;
import io.asynq4j.service.api.SubmitApi;
import io.asynq4j.service.api.TaskApi;
import io.asynq4j.service.api.WebServer;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.DashboardAuthFilter;
import io.asynq4j.service.auth.Scope;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.definition.DefinitionRefresher;
import io.asynq4j.service.definition.FollowUpMiddleware;
import io.asynq4j.service.definition.FollowUpTasks;
import io.asynq4j.service.definition.GearmanTaskPolicy;
import io.asynq4j.service.executor.ServerThreadPools;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.GearmanGateway;
import io.asynq4j.service.lease.LeaseDispatcher;
import io.asynq4j.service.limit.PendingTaskLimiter;
import io.asynq4j.service.response.Problems;
import io.asynq4j.service.tasks.ConfiguredTask;
import io.asynq4j.service.tasks.QueueOwnershipMiddleware;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of the task service: accepts tasks, executes hosted ones and leases the others to
 * workers, over HTTP. Any number of replicas share one Redis; none keeps state of its own.
 * Thread-safe.
 *
 * <pre>{@code
 * try (TaskService service = TaskService.start(ServiceConfig.load(file, System.getenv()))) {
 *   …
 * }
 * }</pre>
 */
public final class TaskService implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(TaskService.class);

  private static final Duration FOLLOW_INTERVAL = Duration.ofSeconds(2);

  /** Two, because reading the task definitions may block one. */
  private static final int TIMER_THREADS = 2;

  /** Maximum number of threads that poll tasks of one Redis server of a cluster. */
  private static final int POLL_THREADS = 8;

  /** Maximum payload of a task that the client accepts. */
  private static final int MAX_PAYLOAD = 64 << 20;

  private static final String DASHBOARD = "/dashboard";

  private final RedisConnection redis;
  private final DefinitionCatalog catalog;
  private final TaskClient client;
  private final HostedTaskServer hosted;
  private final LeaseDispatcher dispatcher;
  private final FollowUpTasks followUps;
  private final PendingTaskLimiter pending;
  private final ServiceMetrics metrics;
  private final ScheduledExecutorService timer;
  private final ExecutorService answers =
      Executors.newCachedThreadPool(DaemonThreadPools.factory("asynq-service-answer"));
  private final ServerThreadPools polls = new ServerThreadPools("asynq-service-poll", POLL_THREADS);
  private final WebServer web;
  private final Supplier<ServiceConfig> reader;
  private final List<Route<Scope, Exchange>> routes;

  private volatile ServiceConfig config;
  private volatile AccessControl access;
  private volatile boolean draining;
  private volatile @Nullable GearmanGateway gearman;

  private TaskService(Builder builder) {
    this.config = builder.config;
    this.reader = builder.reader == null ? () -> builder.config : builder.reader;
    this.access = new AccessControl(config.keys());
    this.redis = RedisConnection.open(config.redisUrl());
    this.catalog = new DefinitionCatalog(redis);
    // The limits of bodies apply first, and may be raised by a reload.
    this.client = TaskClient.builder(redis).maxPayload(MAX_PAYLOAD).build();
    this.timer =
        Executors.newScheduledThreadPool(
            TIMER_THREADS, DaemonThreadPools.factory("asynq-service-timer"));
    this.followUps = new FollowUpTasks(catalog::definition, client);
    this.pending = new PendingTaskLimiter(Inspector.create(redis));
    this.metrics = new ServiceMetrics(Inspector.create(redis));
    List<Middleware> middlewares = new ArrayList<>();
    middlewares.add(new QueueOwnershipMiddleware(catalog));
    middlewares.add(new FollowUpMiddleware(followUps));
    middlewares.addAll(builder.middlewares);
    this.hosted = new HostedTaskServer(redis, () -> config, middlewares, metrics.serverListener());
    this.dispatcher =
        new LeaseDispatcher(catalog::leases, redis.clock(), answers, builder.recheckInterval);
    metrics.addWaiting(dispatcher);
    this.routes = makeRoutes();
    AuditLog audit = new AuditLog(() -> config.logs().audit(), redis.clock());
    RequestRecorder records = new RequestRecorder(metrics, audit, () -> config.logs().requests());
    this.web =
        new WebServer(
            config.listener(),
            new ApiServlet(routes, () -> access, records),
            this::bodyLimits,
            authorization -> access.bodyCaller(authorization));
    if (config.dashboard().enabled()) {
      mountDashboard();
    }
  }

  private BodyLimits bodyLimits() {
    RequestLimits limits = config.limits();
    int ofService = Math.max(limits.body(), limits.batch());
    return BodyLimits.upTo(
        config.dashboard().enabled()
            ? Math.max(ofService, DashboardSettings.LARGEST_BODY)
            : ofService);
  }

  private void mountDashboard() {
    DashboardAuthFilter gate = new DashboardAuthFilter(() -> access, catalog);
    Dashboard.Builder dashboard =
        Dashboard.builder(redis)
            .title("task service")
            .readOnly(config.dashboard().readOnly())
            .metrics(false);
    if (!access.isOpen()) {
      dashboard.access(
          a -> a.authenticator(request -> gate.grant(request, config.dashboard().readOnly())));
    }
    web.add(gate, DASHBOARD + "/*");
    web.add(dashboard.servlet(), DASHBOARD + "/*");
  }

  /** Starts a replica. Returns when it serves requests. */
  public static TaskService start(ServiceConfig config) {
    return builder(config).start();
  }

  public static Builder builder(ServiceConfig config) {
    return new Builder(config);
  }

  private TaskService begin() {
    try {
      catalog.definitions().publish(definitions(config));
      catalog.refresh();
      hosted.start();
      ScheduledFuture<?> unused =
          timer.scheduleWithFixedDelay(
              new DefinitionRefresher(catalog::refresh),
              FOLLOW_INTERVAL.toMillis(),
              FOLLOW_INTERVAL.toMillis(),
              TimeUnit.MILLISECONDS);
      startGearman();
      web.start();
      warnOfPlainText();
      log.info("the task service is listening at {}", uri());
      return this;
    } catch (Exception e) {
      close();
      throw e instanceof RuntimeException unchecked
          ? unchecked
          : new IllegalStateException("the task service cannot start: " + e.getMessage(), e);
    }
  }

  private void startGearman() {
    GearmanConfig gateway = config.gearman();
    if (gateway != null) {
      GearmanTaskPolicy tasks = new GearmanTaskPolicy(catalog, followUps);
      gearman =
          GearmanGateway.start(redis, gateway, tasks, tasks, pending, config.submit().durability());
    }
  }

  private void warnOfPlainText() {
    if (!config.listener().isEncrypted() && !config.keys().isEmpty() && !config.isLocal()) {
      log.warn(
          "requests are not encrypted, so API keys are sent in plain text: set listen.tls, or use a"
              + " proxy with TLS");
    }
  }

  private static List<TaskDefinition> definitions(ServiceConfig config) {
    return config.tasks().values().stream().map(ConfiguredTask::definition).toList();
  }

  /** Applies a change of the definitions made by this replica immediately. */
  private void definitionsChanged() {
    catalog.refresh();
    hosted.followDefinitions();
  }

  List<Route<Scope, Exchange>> routes() {
    return routes;
  }

  private List<Route<Scope, Exchange>> makeRoutes() {
    Inspector inspector = Inspector.create(redis);
    BooleanSupplier isDraining = () -> draining;
    Supplier<RequestLimits> limits = () -> config.limits();
    return ServiceRoutes.of(
        new OperationsApi(redis, metrics, isDraining, hosted::isActive, this::reloadForCaller),
        new SubmitApi(catalog, client, inspector, pending, limits, () -> config.submit()),
        new TaskApi(catalog, inspector, timer, polls, answers, isDraining),
        new LeaseApi(catalog, dispatcher, followUps, limits, () -> config.leases()),
        new SettleApi(catalog, followUps, limits),
        new DefinitionApi(catalog, inspector, this::definitionsChanged, limits));
  }

  private Set<String> reloadForCaller() {
    try {
      return reload();
    } catch (ConfigurationException e) {
      throw Problems.invalid("", String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw Problems.invalid("", "the configuration file cannot be read");
    }
  }

  /**
   * Reads the configuration file again, if the replica was started with one. See {@link
   * #reload(ServiceConfig)}.
   */
  public Set<String> reload() {
    return reload(reader.get());
  }

  /**
   * Applies another configuration. Running and waiting tasks and requests continue; keys, limits,
   * hosts and task definitions change immediately. Returns the changed settings that need a
   * restart.
   */
  public synchronized Set<String> reload(ServiceConfig changed) {
    ServiceConfig before = config;
    catalog.definitions().publish(definitions(changed));
    config = changed;
    access = new AccessControl(changed.keys());
    catalog.refresh();
    hosted.reload();
    web.reload(changed.listener());
    Set<String> needRestart = changed.needRestart(before);
    log.info(
        "reloaded the configuration: {} tasks{}",
        changed.tasks().size(),
        needRestart.isEmpty() ? "" : "; a restart is needed for " + needRestart);
    return needRestart;
  }

  /** The URL of the service. */
  public URI uri() {
    String host = config.listener().host();
    return URI.create(
        "%s://%s:%d/"
            .formatted(
                config.listener().isEncrypted() ? "https" : "http",
                host.contains(":") ? "[" + host + "]" : host,
                port()));
  }

  /** The port that the service listens on; differs from the configured one if that is 0. */
  public int port() {
    return web.port();
  }

  /** The port of the gearman gateway; empty if it is off. */
  public OptionalInt gearmanPort() {
    GearmanGateway gateway = gearman;
    return gateway == null ? OptionalInt.empty() : OptionalInt.of(gateway.port());
  }

  /**
   * Shuts down: the replica reports not ready, ends the requests of waiting workers, waits for
   * hosted tasks until the shutdown timeout and requeues the rest, and completes open requests.
   */
  @Override
  public void close() {
    draining = true;
    dispatcher.close();
    // Hosted tasks and gearman jobs end at the same time.
    Thread gearmanEnds = new Thread(this::closeGearman, "asynq-service-gearman-ends");
    gearmanEnds.start();
    hosted.drain();
    awaitEnd(gearmanEnds);
    web.close();
    answers.shutdown();
    polls.shutdown();
    client.close();
    timer.shutdownNow();
    hosted.close();
    metrics.close();
    redis.close();
  }

  private void closeGearman() {
    GearmanGateway gateway = gearman;
    if (gateway != null) {
      gateway.close();
    }
  }

  private static void awaitEnd(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Builder of a replica. Not thread-safe. */
  public static final class Builder {
    private final ServiceConfig config;
    private final List<Middleware> middlewares = new ArrayList<>();
    private @Nullable Supplier<ServiceConfig> reader;
    private Duration recheckInterval = LeaseDispatcher.RECHECK_INTERVAL;

    private Builder(ServiceConfig config) {
      this.config = config;
    }

    /** Adds a middleware around hosted tasks; the first one is the outermost. */
    public Builder use(Middleware middleware) {
      middlewares.add(middleware);
      return this;
    }

    /** Sets the source of the configuration for reloads. Without it, a reload changes nothing. */
    public Builder reader(Supplier<ServiceConfig> reader) {
      this.reader = reader;
      return this;
    }

    /** Sets how often waiting workers claim without a notification. Default: 1s. */
    Builder recheckInterval(Duration interval) {
      this.recheckInterval = interval;
      return this;
    }

    public TaskService start() {
      return new TaskService(this).begin();
    }
  }
}
