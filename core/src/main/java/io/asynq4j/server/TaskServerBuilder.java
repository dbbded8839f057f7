package io.asynq4j.server;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.outcome.ResultLimit;
import io.asynq4j.internal.server.ServerEngine;
import io.asynq4j.internal.server.config.ConfiguredServer;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.config.ServerListeners;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.server.TaskServer.UnknownNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Configures a {@link TaskServer}. Only {@link #handlers} is required. Not thread-safe.
 *
 * <pre>{@code
 * TaskServer server =
 *     TaskServer.builder(redis)
 *         .handlers(mux)
 *         .concurrency(20)
 *         .queue("mail", q -> q.weight(3).maxActive(5))
 *         .timing(t -> t.lease(Duration.ofSeconds(30)))
 *         .build();
 * }</pre>
 */
public final class TaskServerBuilder {

  private static final Logger log = LoggerFactory.getLogger(TaskServer.class);

  private static final int LONGEST_WARNING = 1_000;

  static {
    ConfiguredServer.readBy(builder -> new ConfiguredServer(builder.config(), builder.handler));
  }

  private final RedisConnection redis;
  private int concurrency = Runtime.getRuntime().availableProcessors();
  private final Map<QueueName, QueueSettings> queues = new LinkedHashMap<>();
  private @Nullable Handler<Task> handler;
  private RetryPolicy retryPolicy = RetryPolicy.standard();
  private final Map<String, RetryPolicy> retryPolicies = new LinkedHashMap<>();
  private PayloadCodec codec;
  private final List<ServerListener> listeners = new ArrayList<>();
  private @Nullable Executor executor;
  private Duration shutdownTimeout = Duration.ofSeconds(8);
  private int maxResult = ResultLimit.DEFAULT.maxBytes();
  private final ServerSettings.Queues queueChoice;
  private final ServerSettings.Groups groups = new ServerSettings.Groups();
  private final ServerSettings.Timing timing = new ServerSettings.Timing();
  private final ServerSettings.Crashes crashes = new ServerSettings.Crashes();
  private final ServerSettings.Failures failures = new ServerSettings.Failures();
  private final ArchiveSettings archive = new ArchiveSettings();

  TaskServerBuilder(RedisConnection redis) {
    this.redis = redis;
    this.codec = redis.codec();
    this.queueChoice = new ServerSettings.Queues(redis);
  }

  /** Sets the maximum number of concurrent handlers. Default: the number of processors. */
  public TaskServerBuilder concurrency(int concurrency) {
    this.concurrency = concurrency;
    return this;
  }

  /** Serves a queue. Default: the queue {@code default}. */
  public TaskServerBuilder queue(String queue) {
    return queue(queue, settings -> {});
  }

  /** Serves a queue, see {@link #queue(String)}. */
  public TaskServerBuilder queue(QueueName queue) {
    return queue(queue, settings -> {});
  }

  /** Serves a queue with a weight, see {@link QueueSettings#weight(int)}. */
  public TaskServerBuilder queue(QueueName queue, int weight) {
    return queue(queue, settings -> settings.weight(weight));
  }

  /** Serves a queue with a weight, see {@link QueueSettings#weight(int)}. */
  public TaskServerBuilder queue(String queue, int weight) {
    return queue(queue, settings -> settings.weight(weight));
  }

  /** Serves a queue: {@code .queue("mail", q -> q.weight(3).maxActive(20))}. */
  public TaskServerBuilder queue(String queue, Consumer<QueueSettings> settings) {
    return queue(QueueName.of(queue), settings);
  }

  /** Serves a queue, see {@link #queue(String, Consumer)}. */
  public TaskServerBuilder queue(QueueName name, Consumer<QueueSettings> settings) {
    QueueRules.configure(queues, name, settings);
    return this;
  }

  /** Sets the handler of the tasks: a {@code Mux}, or one handler for all tasks. Required. */
  public TaskServerBuilder handlers(Handler<Task> handler) {
    require(this.handler == null, "handlers are set already: add all of them in one call");
    this.handler = handler;
    return this;
  }

  /**
   * Handles tasks of the central list of definitions, by name. Each name has its own queue, which
   * the server serves.
   */
  public TaskServerBuilder fromDefinitions(
      List<Middleware> middlewares,
      Map<String, ? extends Handler<Task>> handlers,
      UnknownNames unknownNames) {
    Mux.Builder mux = Mux.builder();
    middlewares.forEach(mux::use);
    handlers.forEach(mux::handle);
    Set<String> names = Set.copyOf(handlers.keySet());
    handlers(mux.build());
    queueChoice.defined(
        definition -> names.contains(definition.name()) ? ServingMode.PROCESS : ServingMode.NONE,
        names,
        unknownNames);
    return this;
  }

  /** Sets the delays between the attempts of failed tasks. Default: the standard policy. */
  public TaskServerBuilder retryPolicy(RetryPolicy policy) {
    this.retryPolicy = policy;
    return this;
  }

  /** Sets the retry policy of one type. Takes precedence over the policy of the type itself. */
  public TaskServerBuilder retryPolicy(TaskType<?> type, RetryPolicy policy) {
    retryPolicies.put(type.name(), policy);
    return this;
  }

  /**
   * Sets the codec of results, and of the inputs of typed handlers in a {@code Mux} that has no
   * codec of its own. Default: the codec of the connection.
   */
  public TaskServerBuilder codec(PayloadCodec codec) {
    this.codec = codec;
    return this;
  }

  /** Adds a listener, which is notified of claims, attempts, settlements and outages. */
  public TaskServerBuilder listener(ServerListener listener) {
    listeners.add(listener);
    return this;
  }

  /**
   * Sets the executor of handlers. It must be able to run as many tasks at once as {@link
   * #concurrency} allows, and is not shut down by the server. Default: a pool of platform threads;
   * with a concurrency above 64, the threads beyond are virtual if Java has them (21 or later).
   */
  public TaskServerBuilder executor(Executor executor) {
    this.executor = executor;
    return this;
  }

  /** Sets how long a stop waits for running handlers. Default: 8 seconds. */
  public TaskServerBuilder shutdownTimeout(Duration timeout) {
    this.shutdownTimeout = timeout;
    return this;
  }

  /**
   * Sets the maximum size of a result in bytes. A task with a larger result is completed without
   * it, see {@link io.asynq4j.TaskInfo#isResultDropped}. Default: 1 MiB.
   */
  public TaskServerBuilder maxResult(int bytes) {
    this.maxResult = bytes;
    return this;
  }

  /** Sets how queues are chosen: {@code .queues(q -> q.strictPriority())}. */
  public TaskServerBuilder queues(Consumer<ServerSettings.Queues> settings) {
    settings.accept(queueChoice);
    return this;
  }

  /** Sets how groups are aggregated: {@code .groups(g -> g.aggregator(digest).maxSize(100))}. */
  public TaskServerBuilder groups(Consumer<ServerSettings.Groups> settings) {
    settings.accept(groups);
    return this;
  }

  /** Sets the limits of archived tasks. */
  public TaskServerBuilder archive(Consumer<ArchiveSettings> settings) {
    settings.accept(archive);
    return this;
  }

  /** Sets leases, timeouts, intervals of the background duties, and the health check. */
  public TaskServerBuilder timing(Consumer<ServerSettings.Timing> settings) {
    settings.accept(timing);
    return this;
  }

  /** Sets what happens to tasks whose worker has crashed. */
  public TaskServerBuilder crashes(Consumer<ServerSettings.Crashes> settings) {
    settings.accept(crashes);
    return this;
  }

  /** Sets which exceptions are failures, and how failed attempts are recorded and logged. */
  public TaskServerBuilder failures(Consumer<ServerSettings.Failures> settings) {
    settings.accept(failures);
    return this;
  }

  /**
   * Checks all settings and builds the server. Sends nothing to Redis. Settings for types without a
   * handler and types whose queue is not served are logged as warnings.
   *
   * @throws IllegalStateException without handlers
   * @throws IllegalArgumentException if a value is out of bounds
   */
  public TaskServer build() {
    Handler<Task> handlers = handler;
    if (handlers == null) {
      throw new IllegalStateException(
          "the server has no handlers: call handlers(…) with a Mux or one handler");
    }
    ServerConfig config = config();
    config
        .warnings(handlers)
        .forEach(warning -> log.warn("{}", LogText.of(warning, LONGEST_WARNING)));
    return new TaskServer(new ServerEngine(redis, config, handlers));
  }

  ServerConfig config() {
    Map<QueueName, Integer> weights = new LinkedHashMap<>();
    Map<QueueName, QueueRules> rules = new LinkedHashMap<>();
    queues.forEach(
        (name, settings) -> {
          weights.put(name, settings.weight());
          QueueRules limits = QueueRules.of(settings);
          if (!limits.equals(QueueRules.NONE)) {
            rules.put(name, limits);
          }
        });
    if (queues.isEmpty() && queueChoice.isEmpty()) {
      weights.put(QueueName.DEFAULT, 1);
    }
    return new ServerConfig(
        concurrency,
        weights,
        queueChoice.patterns,
        queueChoice.strictPriority,
        rules,
        retryPolicy,
        retryPolicies,
        handler instanceof Mux mux ? mux.retryPolicies() : Map.of(),
        failures.isFailure,
        codec,
        new ServerListeners(listeners),
        executor,
        shutdownTimeout,
        timing.cancelGrace,
        failures.missingHandlerDelay,
        new ResultLimit(maxResult),
        failures.keep,
        failures.logLimit,
        failures.logEveryStackTrace,
        timing.lease,
        timing.heartbeat(),
        timing.pollInterval,
        timing.recoverInterval,
        timing.forwardInterval,
        timing.janitorInterval,
        timing.repairInterval,
        timing.healthInterval,
        timing.healthCheck,
        crashes.rules(),
        ArchiveRules.of(archive),
        groups.config(codec),
        queueChoice.defined);
  }
}
