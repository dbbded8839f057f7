package io.asynq4j.service;

import io.asynq4j.client.TaskClient;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.config.DashboardSettings;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.BodyLimits;
import io.asynq4j.http.Json;
import io.asynq4j.http.Route;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import io.asynq4j.service.api.ApiServlet;
import io.asynq4j.service.api.AuditLog;
import io.asynq4j.service.api.DefinitionApi;
import io.asynq4j.service.api.Exchange;
import io.asynq4j.service.api.LeaseApi;
import io.asynq4j.service.api.Problems;
import io.asynq4j.service.api.RequestRecorder;
import io.asynq4j.service.api.ServiceMetrics;
import io.asynq4j.service.api.SubmitApi;
import io.asynq4j.service.api.TaskApi;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.DashboardAuthFilter;
import io.asynq4j.service.config.RequestLimits;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.definition.DefinitionRefresher;
import io.asynq4j.service.definition.FollowUpMiddleware;
import io.asynq4j.service.definition.FollowUpTasks;
import io.asynq4j.service.definition.GearmanTaskPolicy;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.GearmanGateway;
import io.asynq4j.service.lease.LeaseDispatcher;
import io.asynq4j.service.tasks.AllowedHostsResolver;
import io.asynq4j.service.tasks.ConfiguredTask;
import io.asynq4j.service.tasks.HostedTaskHandler;
import io.asynq4j.service.tasks.ProcessGroups;
import io.asynq4j.service.tasks.QueueOwnershipMiddleware;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One replica of the task service: takes in tasks, executes hosted ones, and leases others to
 * workers, all over HTTP. Any number of replicas work on one Redis; none keeps anything to itself.
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
  private static final Duration SCHEDULE_INTERVAL = Duration.ofSeconds(5);

  /** One may wait for Redis, for the task definitions. */
  private static final int TIMER_THREADS = 2;

  /** The largest payload of a task that a client accepts. */
  private static final int MAX_PAYLOAD = 64 << 20;

  private static final String DASHBOARD = "/dashboard";

  private final RedisConnection redis;
  private final DefinitionCatalog catalog;
  private final TaskClient client;
  private final HttpClient httpClient;
  private final HostedTaskHandler hosted;
  private final TaskServer server;
  private final Scheduler scheduler;
  private final LeaseDispatcher desk;
  private final FollowUpTasks followUps;
  private final ServiceMetrics metrics;
  private final ScheduledExecutorService timer;
  private final ExecutorService answers = Executors.newCachedThreadPool(TaskService::daemon);
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
    // The limits of bodies bound it, which may be raised while the service runs.
    this.client = TaskClient.builder(redis).maxPayload(MAX_PAYLOAD).build();
    this.timer = Executors.newScheduledThreadPool(TIMER_THREADS, TaskService::daemon);
    this.httpClient = new HttpClient();
    this.hosted = new HostedTaskHandler(httpClient, new ProcessGroups(), redis.clock());
    this.followUps = new FollowUpTasks(catalog::definition, client);
    this.metrics = new ServiceMetrics(Inspector.create(redis));
    Mux.Builder handlers = Mux.builder().otherwise(hosted);
    handlers.use(new QueueOwnershipMiddleware(catalog));
    handlers.use(new FollowUpMiddleware(followUps));
    builder.middlewares.forEach(handlers::use);
    this.server =
        TaskServer.builder(redis)
            .definitions(hosted::careOf)
            .handlers(handlers.build())
            .concurrency(config.concurrency())
            .shutdownTimeout(config.shutdownTimeout())
            .listener(metrics.serverListener())
            .build();
    this.scheduler =
        Scheduler.builder(redis).source(this::schedules).sourceInterval(SCHEDULE_INTERVAL).build();
    this.desk = new LeaseDispatcher(catalog::leases, redis.clock(), answers, builder.lookEvery);
    metrics.showWaiting(desk);
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
      dashboard.authenticator(request -> gate.grant(request, config.dashboard().readOnly()));
    }
    web.add(gate, DASHBOARD + "/*");
    web.add(dashboard.servlet(), DASHBOARD + "/*");
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "asynq-service-timer");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts a replica; returns when it answers requests. */
  public static TaskService start(ServiceConfig config) {
    return builder(config).start();
  }

  public static Builder builder(ServiceConfig config) {
    return new Builder(config);
  }

  private TaskService begin() {
    try {
      httpClient.setFollowRedirects(false);
      httpClient.setConnectTimeout(config.connectTimeout().toMillis());
      // Names are resolved by the thread of the task, whose own time is all that it costs.
      httpClient.setSocketAddressResolver(
          new AllowedHostsResolver(new SocketAddressResolver.Sync(), () -> config.allowedHosts()));
      httpClient.start();
      hosted.configure(config.tasks());
      catalog.definitions().publish(definitions(config));
      catalog.refresh();
      server.start();
      scheduler.start();
      ScheduledFuture<?> unused =
          timer.scheduleWithFixedDelay(
              new DefinitionRefresher(catalog::refresh),
              FOLLOW_INTERVAL.toMillis(),
              FOLLOW_INTERVAL.toMillis(),
              TimeUnit.MILLISECONDS);
      startGearman();
      web.start();
      warnOfPlainText();
      log.info("the task service answers at {}", uri());
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
      gearman = GearmanGateway.start(redis, gateway, tasks, tasks, config.submit().durability());
    }
  }

  private void warnOfPlainText() {
    if (!config.listener().isEncrypted() && !config.keys().isEmpty() && !config.isLocal()) {
      log.warn(
          "requests are not encrypted, so keys can be read on the way: set listen.tls, or put a"
              + " proxy with TLS before it");
    }
  }

  private static List<TaskDefinition> definitions(ServiceConfig config) {
    return config.tasks().values().stream().map(ConfiguredTask::definition).toList();
  }

  private List<ScheduleEntry> schedules() {
    List<ScheduleEntry> entries = new ArrayList<>();
    config
        .tasks()
        .values()
        .forEach(
            task -> {
              if (task.schedule() != null) {
                entries.add(task.schedule());
              }
            });
    return entries;
  }

  /** The list has changed by something that this replica has done. */
  private void changed() {
    catalog.refresh();
    server.followDefinitions();
  }

  List<Route<Scope, Exchange>> routes() {
    return routes;
  }

  private List<Route<Scope, Exchange>> makeRoutes() {
    Inspector inspector = Inspector.create(redis);
    SubmitApi submissions = new SubmitApi(
            catalog, client, inspector, () -> config.limits(), () -> config.submit());
    TaskApi tasks = new TaskApi(catalog, inspector, timer, answers, () -> draining);
    LeaseApi leases = new LeaseApi(catalog, desk, followUps, () -> config.limits(), () -> config.leases());
    DefinitionApi definitions = new DefinitionApi(catalog, inspector, this::changed, () -> config.limits());
    return List.of(
        Route.async("live", "GET", "/livez", null, exchange -> ok("live")),
        Route.async("ready", "GET", "/readyz", null, exchange -> ready()),
        Route.async("metrics", "GET", "/metrics", Scope.OPERATE, this::scraped),
        Route.async("openapi", "GET", "/v1/openapi.json", null, exchange -> openApi()),
        Route.async("submit", "POST", "/v1/tasks", Scope.SUBMIT, submissions::submit),
        Route.async("getTask", "GET", "/v1/tasks/{id}", Scope.SUBMIT, tasks::get),
        Route.async("cancelTask", "POST", "/v1/tasks/{id}/cancel", Scope.OPERATE, tasks::cancel),
        Route.async("retryTask", "POST", "/v1/tasks/{id}/retry", Scope.OPERATE, tasks::retry),
        Route.async(
            "lease",
            "POST",
            "/v1/lease",
            Scope.WORK,
            exchange -> notDraining(exchange, leases::lease)),
        Route.async("complete", "POST", "/v1/complete", Scope.WORK, leases::complete),
        Route.async("fail", "POST", "/v1/fail", Scope.WORK, leases::fail),
        Route.async("snooze", "POST", "/v1/snooze", Scope.WORK, leases::snooze),
        Route.async("release", "POST", "/v1/release", Scope.WORK, leases::release),
        Route.async("extend", "POST", "/v1/extend", Scope.WORK, leases::extend),
        Route.async("progress", "POST", "/v1/progress", Scope.WORK, leases::progress),
        Route.async("listDefinitions", "GET", "/v1/definitions", Scope.OPERATE, definitions::list),
        Route.async(
            "putDefinition", "PUT", "/v1/definitions/{name}", Scope.OPERATE, definitions::put),
        Route.async(
            "getLimits",
            "GET",
            "/v1/definitions/{name}/limits",
            Scope.OPERATE,
            definitions::limits),
        Route.async(
            "putLimits",
            "PUT",
            "/v1/definitions/{name}/limits",
            Scope.OPERATE,
            definitions::setLimits),
        Route.async(
            "deleteDefinition",
            "DELETE",
            "/v1/definitions/{name}",
            Scope.OPERATE,
            definitions::remove),
        Route.async("reload", "POST", "/v1/reload", Scope.OPERATE, this::reloaded));
  }

  private static CompletionStage<ApiResponse> ok(String state) {
    return CompletableFuture.completedFuture(
        ApiResponse.json(200, Json.object().put("state", state)));
  }

  private CompletionStage<ApiResponse> ready() {
    if (draining || server.state() != ServerState.ACTIVE) {
      throw Problems.notNow(503, "draining", "this replica is ending", Duration.ofSeconds(1));
    }
    redis.ping();
    return ok("ready");
  }

  private CompletionStage<ApiResponse> notDraining(
      Exchange exchange, Route.Endpoint<Exchange> endpoint) throws Exception {
    if (draining) {
      throw Problems.notNow(503, "draining", "this replica is ending", Duration.ofSeconds(1));
    }
    return endpoint.handle(exchange);
  }

  private CompletionStage<ApiResponse> scraped(Exchange exchange) {
    AccessControl.requireUnrestricted(exchange.caller());
    return CompletableFuture.completedFuture(metrics.scrape());
  }

  private static CompletionStage<ApiResponse> openApi() throws IOException {
    try (InputStream document = TaskService.class.getResourceAsStream("openapi.json")) {
      byte[] bytes = Objects.requireNonNull(document, "openapi.json").readAllBytes();
      return CompletableFuture.completedFuture(ApiResponse.bytes(bytes, ApiResponse.JSON));
    }
  }

  private CompletionStage<ApiResponse> reloaded(Exchange exchange) {
    AccessControl.requireUnrestricted(exchange.caller());
    try {
      ObjectNode body = Json.object();
      reload().forEach(body.putArray("needRestart")::add);
      return CompletableFuture.completedFuture(ApiResponse.json(200, body));
    } catch (ConfigurationException e) {
      throw Problems.invalid("", String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw Problems.invalid("", "the configuration file cannot be read");
    }
  }

  /**
   * Reads the file again, if it was started with one. The same as {@link #reload(ServiceConfig)}.
   */
  public Set<String> reload() {
    return reload(reader.get());
  }

  /**
   * Goes on with another configuration. What runs or waits goes on; keys, limits, hosts and task
   * definitions are the new ones from now on. Returns the settings that differ and need a restart.
   */
  public synchronized Set<String> reload(ServiceConfig changed) {
    ServiceConfig before = config;
    catalog.definitions().publish(definitions(changed));
    config = changed;
    access = new AccessControl(changed.keys());
    httpClient.setConnectTimeout(changed.connectTimeout().toMillis());
    hosted.configure(changed.tasks());
    changed();
    Set<String> needRestart = new TreeSet<>();
    compare(needRestart, "redis.url", before.redisUrl(), changed.redisUrl());
    web.reload(changed.listener());
    compare(needRestart, "listen.host", before.listener().host(), changed.listener().host());
    compare(needRestart, "listen.port", before.listener().port(), changed.listener().port());
    compare(
        needRestart,
        "listen.tls",
        before.listener().isEncrypted(),
        changed.listener().isEncrypted());
    compare(needRestart, "dashboard", before.dashboard(), changed.dashboard());
    compare(
        needRestart,
        "gearman",
        Optional.ofNullable(before.gearman()),
        Optional.ofNullable(changed.gearman()));
    compare(needRestart, "concurrency", before.concurrency(), changed.concurrency());
    compare(needRestart, "shutdownTimeout", before.shutdownTimeout(), changed.shutdownTimeout());
    log.info(
        "the configuration was read again: {} tasks{}",
        changed.tasks().size(),
        needRestart.isEmpty() ? "" : "; only a restart changes " + needRestart);
    return needRestart;
  }

  private static void compare(Set<String> differing, String name, Object before, Object now) {
    if (!before.equals(now)) {
      differing.add(name);
    }
  }

  /** Where it answers. */
  public URI uri() {
    String host = config.listener().host();
    return URI.create(
        "%s://%s:%d/"
            .formatted(
                config.listener().isEncrypted() ? "https" : "http",
                host.contains(":") ? "[" + host + "]" : host,
                port()));
  }

  /** Where it listens: another port than configured, if that was 0. */
  public int port() {
    return web.port();
  }

  /** Where gearman's clients and workers are served, if they are. */
  public OptionalInt gearmanPort() {
    GearmanGateway gateway = gearman;
    return gateway == null ? OptionalInt.empty() : OptionalInt.of(gateway.port());
  }

  /**
   * Ends in order: it is no longer ready, workers that wait are sent away, hosted tasks are waited
   * for until the shutdown timeout and put back otherwise, requests under way are answered.
   */
  @Override
  public void close() {
    draining = true;
    desk.close();
    scheduler.close();
    // Workers of both kinds finish at the same time.
    Thread gearmanEnds = new Thread(this::closeGearman, "asynq-service-gearman-ends");
    gearmanEnds.start();
    server.close();
    awaitEnd(gearmanEnds);
    web.close();
    answers.shutdown();
    client.close();
    timer.shutdownNow();
    try {
      httpClient.stop();
    } catch (Exception e) {
      log.warn("the HTTP client did not stop", e);
    }
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

  /** Collects what a replica is to be; not thread-safe. */
  public static final class Builder {
    private final ServiceConfig config;
    private final List<Middleware> middlewares = new ArrayList<>();
    private @Nullable Supplier<ServiceConfig> reader;
    private Duration lookEvery = LeaseDispatcher.RECHECK_INTERVAL;

    private Builder(ServiceConfig config) {
      this.config = config;
    }

    /** Wraps around hosted tasks; the first one added is the outermost. */
    public Builder use(Middleware middleware) {
      middlewares.add(middleware);
      return this;
    }

    /** Where a reload finds the configuration; without it, a reload changes nothing. */
    public Builder reader(Supplier<ServiceConfig> reader) {
      this.reader = reader;
      return this;
    }

    /** How often workers that wait are looked for tasks although nothing was told. */
    Builder lookEvery(Duration interval) {
      this.lookEvery = interval;
      return this;
    }

    public TaskService start() {
      return new TaskService(this).begin();
    }
  }
}
