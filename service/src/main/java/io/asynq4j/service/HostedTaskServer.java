package io.asynq4j.service;

import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import io.asynq4j.service.tasks.AllowedHostsResolver;
import io.asynq4j.service.tasks.ConfiguredTask;
import io.asynq4j.service.tasks.HostedTaskHandler;
import io.asynq4j.service.tasks.ProcessGroups;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the tasks of kind {@code http} and {@code cmd}, and enqueues the scheduled tasks of the
 * configuration. Thread-safe.
 */
final class HostedTaskServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HostedTaskServer.class);

  private static final Duration SCHEDULE_INTERVAL = Duration.ofSeconds(5);

  private final Supplier<ServiceConfig> config;
  private final HttpClient httpClient = new HttpClient();
  private final HostedTaskHandler handler;
  private final TaskServer server;
  private final Scheduler scheduler;

  /**
   * @param middlewares around the attempts of tasks, the outermost first
   */
  HostedTaskServer(
      RedisConnection redis,
      Supplier<ServiceConfig> config,
      List<Middleware> middlewares,
      ServerListener listener) {
    this.config = config;
    this.handler = new HostedTaskHandler(httpClient, new ProcessGroups(), redis.clock());
    Mux.Builder handlers = Mux.builder().otherwise(handler);
    middlewares.forEach(handlers::use);
    this.server =
        TaskServer.builder(redis)
            .queues(queues -> queues.defined(handler::servingMode))
            .handlers(handlers.build())
            .concurrency(config.get().hosting().concurrency())
            .shutdownTimeout(config.get().hosting().shutdownTimeout())
            .listener(listener)
            .build();
    this.scheduler =
        Scheduler.builder(redis).source(this::schedules).sourceInterval(SCHEDULE_INTERVAL).build();
  }

  private List<ScheduleEntry> schedules() {
    return config.get().tasks().values().stream()
        .map(ConfiguredTask::schedule)
        .filter(Objects::nonNull)
        .toList();
  }

  void start() throws Exception {
    httpClient.setFollowRedirects(false);
    // Names are resolved on the thread of the task, so that a slow lookup delays only that task.
    httpClient.setSocketAddressResolver(
        new AllowedHostsResolver(
            new SocketAddressResolver.Sync(), () -> config.get().hosting().allowedHosts()));
    applyConfig();
    httpClient.start();
    server.start();
    scheduler.start();
  }

  private void applyConfig() {
    httpClient.setConnectTimeout(config.get().hosting().connectTimeout().toMillis());
    handler.configure(config.get().tasks());
  }

  /** Applies a changed configuration and the task definitions published from it. */
  void reload() {
    applyConfig();
    followDefinitions();
  }

  /** Reads the task definitions again. */
  void followDefinitions() {
    server.followDefinitions();
  }

  boolean isActive() {
    return server.state() == ServerState.ACTIVE;
  }

  /** Ends schedules and tasks; tasks that run longer than the shutdown timeout are requeued. */
  void drain() {
    scheduler.close();
    server.close();
  }

  @Override
  public void close() {
    try {
      httpClient.stop();
    } catch (Exception e) {
      log.warn("the HTTP client of hosted tasks did not stop", e);
    }
  }
}
