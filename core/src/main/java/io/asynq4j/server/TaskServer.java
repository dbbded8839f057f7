package io.asynq4j.server;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.outcome.ResultLimit;
import io.asynq4j.internal.server.ProcessSignalRunner;
import io.asynq4j.internal.server.ServerEngine;
import io.asynq4j.internal.server.config.DefinitionCache;
import io.asynq4j.internal.server.config.QueuePattern;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.config.ServerConfigValidator;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes tasks: claims them from its queues, has them handled, and settles what came of it. May
 * be used from any thread. A server runs once: {@link #start()} after {@link #stop()} fails, and a
 * new server is to be built instead. {@link #quiet()}, {@link #stop()} and {@link #close()} may be
 * called any number of times, in any order; before the start they have no effect.
 *
 * <p>A server uses a connection and does not close it. Many servers, in one process or in many, may
 * serve the same queues, Go servers among them.
 */
public final class TaskServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(TaskServer.class);

  private static final int LONGEST_WARNING = 1_000;

  private final ServerEngine engine;

  private TaskServer(ServerEngine engine) {
    this.engine = engine;
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(redis);
  }

  /**
   * A server for the central list of task definitions: it serves the queues of the names that it
   * has handlers for, with the limits, timeouts and delays of the list, and follows its changes.
   * Starting it needs Redis, and fails with an {@code IllegalStateException} when a handler is for
   * a name that is not defined; {@link Builder#fromDefinitions} has a choice there.
   */
  public static TaskServer fromDefinitions(
      RedisConnection redis,
      List<Middleware> middlewares,
      Map<String, ? extends Handler<Task>> handlers) {
    return builder(redis).fromDefinitions(middlewares, handlers, UnknownNames.REFUSE).build();
  }

  /**
   * Builds a server with default settings, which serves the queue {@code default}, and starts it.
   *
   * <pre>{@code
   * try (TaskServer server = TaskServer.start(redis, handlers)) {
   *   server.awaitStop();
   * }
   * }</pre>
   *
   * @param handlers a {@code Mux}, or one handler for all tasks
   */
  public static TaskServer start(RedisConnection redis, Handler<Task> handlers) {
    TaskServer server = builder(redis).handlers(handlers).build();
    server.start();
    return server;
  }

  /**
   * Begins to process tasks, and returns. Redis need not be there yet. Fails with an {@code
   * IllegalStateException} when the server runs or has run: it cannot be started twice.
   */
  public void start() {
    engine.start();
  }

  /** Claims nothing more. What runs goes on, and so do the duties. Returns at once. */
  public void quiet() {
    engine.quiet();
  }

  /**
   * Stops: claims nothing more, waits for all handlers for as long as the shutdown timeout says,
   * interrupts those that are left, puts their tasks back to the head of their queues, and returns
   * when all of that is done. Where a queue has limits, a task goes back when its handler has
   * returned, or else when its lease ends. Handlers that still run are logged with their stack.
   */
  public void stop() {
    engine.stop();
  }

  /** The same as {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }

  /**
   * Starts, and returns when the process was asked to end and the server has stopped. TERM and INT
   * stop it, a second one ends the process at once; TSTP makes it quiet.
   */
  public void run() {
    ProcessSignalRunner.run(this);
  }

  /** Waits until the server has stopped. */
  public void awaitStop() throws InterruptedException {
    while (!engine.awaitStop(Duration.ofDays(1))) {
      // It still runs.
    }
  }

  /** Waits until the server has stopped, for at most this time. Returns whether it has stopped. */
  public boolean awaitStop(Duration most) throws InterruptedException {
    return engine.awaitStop(most);
  }

  public ServerState state() {
    return engine.state();
  }

  /** How it is now, for probes. Asks nobody, and never waits for Redis. */
  public ServerHealth health() {
    return engine.health();
  }

  /** The id under which others see it. */
  public String id() {
    return engine.id();
  }

  /** How many handlers run now. */
  public int running() {
    return engine.running();
  }

  /** Serves one more queue from now on, or one that it serves with another weight. */
  public void addQueue(String queue, int weight) {
    addQueue(QueueName.of(queue), weight);
  }

  public void addQueue(QueueName queue, int weight) {
    engine.queues().add(queue, weight);
  }

  /**
   * Stops serving a queue; its running tasks go on. A task that is enqueued after this returns is
   * left to other servers. Returns false if the server did not serve the queue.
   */
  public boolean removeQueue(String queue) {
    return removeQueue(QueueName.of(queue));
  }

  public boolean removeQueue(QueueName queue) {
    return engine.queues().remove(queue);
  }

  /** Reads the central list of definitions now, and not only at its next turn. */
  public void followDefinitions() {
    engine.followDefinitions();
  }

  /** The queues that it serves, with their weights. */
  public Map<String, Integer> queues() {
    Map<String, Integer> queues = new LinkedHashMap<>();
    engine.queues().weights().forEach((queue, weight) -> queues.put(queue.value(), weight));
    return queues;
  }

  /** Collects what a server is to be; not thread-safe. */
  public static final class Builder {

    private final RedisConnection redis;
    private int concurrency = Runtime.getRuntime().availableProcessors();
    private final Map<QueueName, QueueSettings> queues = new LinkedHashMap<>();
    private final List<QueuePattern> patterns = new ArrayList<>();
    private boolean isWithoutQueues;
    private boolean strictPriority;
    private @Nullable Handler<Task> handler;
    private @Nullable DefinitionCache defined;
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private final Map<String, RetryPolicy> retryPolicies = new LinkedHashMap<>();
    private Predicate<Throwable> isFailure = error -> true;
    private PayloadCodec codec;
    private final List<ServerListener> listeners = new ArrayList<>();
    private @Nullable Executor executor;
    private Duration shutdownTimeout = Duration.ofSeconds(8);
    private int maxResult = ResultLimit.DEFAULT.maxBytes();
    private @Nullable Consumer<@Nullable Throwable> healthCheck;
    private final ServerSettings.Groups groups = new ServerSettings.Groups();
    private final ServerSettings.Timing timing = new ServerSettings.Timing();
    private final ServerSettings.Crashes crashes = new ServerSettings.Crashes();
    private final ServerSettings.Failures failures = new ServerSettings.Failures();
    private final ArchiveSettings archive = new ArchiveSettings();

    private Builder(RedisConnection redis) {
      this.redis = redis;
      this.codec = redis.codec();
    }

    /** Maximum number of handlers that run at once. Default: the number of processors. */
    public Builder concurrency(int concurrency) {
      this.concurrency = concurrency;
      return this;
    }

    /** Serves queues with their weights. */
    public Builder queues(Map<String, Integer> weights) {
      weights.forEach((queue, weight) -> queue(queue, weight));
      isWithoutQueues = queues.isEmpty() && patterns.isEmpty();
      return this;
    }

    /** Serves a queue. Without any, the server serves the queue {@code default}. */
    public Builder queue(String queue) {
      return queue(queue, settings -> {});
    }

    /** Serves a queue, see {@link #queue(String)}. */
    public Builder queue(QueueName queue) {
      return queue(queue, settings -> {});
    }

    /** Serves a queue with a weight, see {@link QueueSettings#weight(int)}. */
    public Builder queue(QueueName queue, int weight) {
      return queue(queue, settings -> settings.weight(weight));
    }

    /** Serves a queue with a weight, see {@link QueueSettings#weight(int)}. */
    public Builder queue(String queue, int weight) {
      return queue(queue, settings -> settings.weight(weight));
    }

    /** Serves a queue: {@code .queue("mail", q -> q.weight(3).maxActive(20))}. */
    public Builder queue(String queue, Consumer<QueueSettings> settings) {
      return queue(QueueName.of(queue), settings);
    }

    /** Serves a queue, see {@link #queue(String, Consumer)}. */
    public Builder queue(QueueName name, Consumer<QueueSettings> settings) {
      QueueSettings given = queues.computeIfAbsent(name, any -> new QueueSettings());
      try {
        settings.accept(given);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("queue \"" + name + "\": " + e.getMessage(), e);
      }
      isWithoutQueues = false;
      return this;
    }

    /** Serves all queues that match, such as {@code tenant-*}, also those that appear later. */
    public Builder queuePattern(String glob, int weight) {
      patterns.add(QueuePattern.of(glob, weight));
      isWithoutQueues = false;
      return this;
    }

    /** A queue gets workers only while all queues of greater weight are empty. */
    public Builder strictPriority() {
      this.strictPriority = true;
      return this;
    }

    /** What handles the tasks: a {@code Mux}, or one handler for all. */
    public Builder handlers(Handler<Task> handler) {
      this.handler = handler;
      return this;
    }

    /**
     * Handles tasks of the names that are in the central list of definitions: each has a queue of
     * its own.
     */
    public Builder fromDefinitions(
        List<Middleware> middlewares,
        Map<String, ? extends Handler<Task>> handlers,
        UnknownNames unknownNames) {
      Mux.Builder mux = Mux.builder();
      middlewares.forEach(mux::use);
      handlers.forEach(mux::handle);
      Set<String> names = Set.copyOf(handlers.keySet());
      this.defined =
          new DefinitionCache(
              TaskDefinitions.of(redis),
              definition ->
                  names.contains(definition.name()) ? ServingMode.PROCESS : ServingMode.NONE,
              names,
              unknownNames);
      return handlers(mux.build());
    }

    /**
     * Cares for the queues of the central list of definitions as this says, with the limits,
     * timeouts and delays of the list, and follows its changes. It is asked again each time the
     * list is read.
     */
    public Builder definitions(Function<TaskDefinition, ServingMode> care) {
      this.defined =
          new DefinitionCache(TaskDefinitions.of(redis), care, Set.of(), UnknownNames.WARN);
      return this;
    }

    /** How long a failed task waits for its next attempt. */
    public Builder retryPolicy(RetryPolicy policy) {
      this.retryPolicy = policy;
      return this;
    }

    /** The same for one type. Wins over the policy that the type itself has. */
    public Builder retryPolicy(TaskType<?> type, RetryPolicy policy) {
      retryPolicies.put(type.name(), policy);
      return this;
    }

    /** Which exceptions cost a retry; all when not said. The others are tried again for ever. */
    public Builder isFailure(Predicate<Throwable> isFailure) {
      this.isFailure = isFailure;
      return this;
    }

    /**
     * How results become bytes, and the inputs of typed handlers of a {@code Mux} that has no codec
     * of its own. Default: the codec of the connection.
     */
    public Builder codec(PayloadCodec codec) {
      this.codec = codec;
      return this;
    }

    public Builder listener(ServerListener listener) {
      listeners.add(listener);
      return this;
    }

    /**
     * Where handlers run. When not said: on a pool of threads; of more than 64 at once, those
     * beyond on virtual threads, from Java 21 on. It must be able to run as many at once as {@code
     * concurrency} says, and is not shut down by the server.
     */
    public Builder executor(Executor executor) {
      this.executor = executor;
      return this;
    }

    /** How long a stop waits for running handlers; 8 seconds when not said. */
    public Builder shutdownTimeout(Duration timeout) {
      this.shutdownTimeout = timeout;
      return this;
    }

    /**
     * How many bytes a result may have; 1 MiB. A task whose result is larger is completed without
     * it, and says so: see {@link io.asynq4j.TaskInfo#isResultDropped}.
     */
    public Builder maxResult(int bytes) {
      this.maxResult = bytes;
      return this;
    }

    /** Is told from time to time whether Redis answers: null, or what went wrong. */
    public Builder healthCheck(Consumer<@Nullable Throwable> listener) {
      this.healthCheck = listener;
      return this;
    }

    /** How groups are aggregated: {@code .groups(g -> g.aggregator(digest).maxSize(100))}. */
    public Builder groups(Consumer<ServerSettings.Groups> settings) {
      settings.accept(groups);
      return this;
    }

    /** How much is kept of archived tasks. */
    public Builder archive(Consumer<ArchiveSettings> settings) {
      settings.accept(archive);
      return this;
    }

    /** Leases, timeouts, and intervals of the background duties. */
    public Builder timing(Consumer<ServerSettings.Timing> settings) {
      settings.accept(timing);
      return this;
    }

    /** What happens to tasks whose worker has crashed. */
    public Builder crashes(Consumer<ServerSettings.Crashes> settings) {
      settings.accept(crashes);
      return this;
    }

    /** How failed attempts are recorded and logged. */
    public Builder failures(Consumer<ServerSettings.Failures> settings) {
      settings.accept(failures);
      return this;
    }

    /**
     * Checks everything; nothing is sent to Redis before the server is started. Fails with an
     * {@code IllegalStateException} without handlers or queues; names in settings that fit no
     * handler or queue are logged as warnings.
     */
    public TaskServer build() {
      Handler<Task> handlers = handler;
      if (handlers == null) {
        throw new IllegalStateException("a server needs handlers(…): a Mux, or one handler");
      }
      if (isWithoutQueues && defined == null) {
        throw new IllegalStateException(
            "queues(…) was given no queue: name one, or leave it out to serve \"default\"");
      }
      ServerConfig config = config();
      ServerConfigValidator.of(config, handlers)
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
      if (queues.isEmpty() && patterns.isEmpty() && defined == null) {
        weights.put(QueueName.DEFAULT, 1);
      }
      return new ServerConfig(
          concurrency,
          weights,
          patterns,
          strictPriority,
          rules,
          retryPolicy,
          retryPolicies,
          handler instanceof Mux mux ? mux.retryPolicies() : Map.of(),
          isFailure,
          codec,
          listeners,
          executor,
          shutdownTimeout,
          timing.cancelGrace,
          failures.missingHandlerDelay,
          new ResultLimit(maxResult),
          failures.keep,
          failures.logLimit,
          failures.logEveryStackTrace,
          timing.lease(),
          timing.heartbeat(),
          timing.pollInterval,
          timing.recoverInterval,
          timing.forwardInterval,
          timing.janitorInterval,
          timing.repairInterval,
          timing.healthInterval,
          healthCheck,
          crashes.rules(),
          ArchiveRules.of(archive),
          groups.config(codec),
          defined);
    }
  }

  /** What becomes of a server that has handlers for names which are not in the central list. */
  public enum UnknownNames {
    /** It does not start. */
    REFUSE,
    /** It starts with a warning, and serves such a name from when it is defined. */
    WARN
  }

  /** What a server does for the queue of a task definition. */
  public enum ServingMode {
    /** It processes its tasks. */
    PROCESS,
    /**
     * It processes no tasks, and runs the duties for the servers that do: due tasks are made
     * pending, tasks of vanished workers are given to others, what has been kept for long enough is
     * deleted.
     */
    UPKEEP,
    NONE
  }
}
