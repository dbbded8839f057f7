package io.asynq4j.server;

import io.asynq4j.PayloadCodec;
import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Middleware;
import io.asynq4j.handler.Mux;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.ResultLimit;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.server.ProcessSignalRunner;
import io.asynq4j.internal.server.ServerEngine;
import io.asynq4j.internal.server.config.DefinitionCache;
import io.asynq4j.internal.server.config.GroupConfig;
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

  /** Waits until the server has stopped, or so long. True when it has. */
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
    engine.queues().add(QueueName.of(queue), weight);
  }

  /**
   * Stops serving a queue; its running tasks go on. A task that is enqueued after this returns is
   * left to other servers. Returns false if the server did not serve the queue.
   */
  public boolean removeQueue(String queue) {
    return engine.queues().remove(QueueName.of(queue));
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
    private final Map<QueueName, Integer> queues = new LinkedHashMap<>();
    private final List<QueuePattern> patterns = new ArrayList<>();
    private boolean isWithoutQueues;
    private boolean strictPriority;
    private final Map<QueueName, QueueRules> rules = new LinkedHashMap<>();
    private @Nullable Handler<Task> handler;
    private @Nullable DefinitionCache defined;
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private final Map<String, RetryPolicy> retryPolicies = new LinkedHashMap<>();
    private Predicate<Throwable> isFailure = error -> true;
    private PayloadCodec codec = PayloadCodec.json();
    private final List<ServerListener> listeners = new ArrayList<>();
    private @Nullable Executor executor;
    private Duration shutdownTimeout = Duration.ofSeconds(8);
    private Duration cancelGrace = Duration.ofSeconds(2);
    private int maxResult = ResultLimit.DEFAULT.maxBytes();
    private Duration missingHandlerDelay = Duration.ofMinutes(1);
    private boolean keepFailures = true;
    private int failureLogLimit = 10;
    private boolean logEveryStackTrace;
    private Duration lease = Duration.ofSeconds(15);
    private Duration heartbeat = Duration.ofSeconds(5);
    private boolean heartbeatGiven;
    private Duration pollInterval = Duration.ofSeconds(1);
    private Duration recoverInterval = Duration.ofSeconds(2);
    private Duration forwardInterval = Duration.ofSeconds(5);
    private Duration janitorInterval = Duration.ofSeconds(8);
    private Duration repairInterval = Duration.ofMinutes(1);
    private Duration healthInterval = Duration.ofSeconds(15);
    private @Nullable Consumer<@Nullable Throwable> healthCheck;
    private int maxCrashes = CrashRules.DEFAULT.maxCrashes();
    private Duration crashDelay = CrashRules.DEFAULT.delay();
    private Duration goGrace = CrashRules.DEFAULT.goGrace();
    private int archiveSize = ArchiveRules.DEFAULT.maxSize();
    private Duration archiveAge = ArchiveRules.DEFAULT.maxAge();
    private boolean archiveReleasesLocks = ArchiveRules.DEFAULT.releaseLocks();
    private @Nullable GroupAggregator aggregator;
    private int groupMaxSize;
    private Duration groupMaxDelay = Duration.ZERO;
    private Duration groupGrace = Duration.ofMinutes(1);
    private Duration groupTimeout = GroupRules.DEFAULT_TIMEOUT;
    private int groupParallelism = 3;

    private Builder(RedisConnection redis) {
      this.redis = redis;
    }

    /** How many handlers may run at once; as many as there are processors when not said. */
    public Builder concurrency(int concurrency) {
      this.concurrency = concurrency;
      return this;
    }

    /** Queues with their weights: of busy queues, one with weight 6 gets twice that of 3. */
    public Builder queues(Map<String, Integer> weights) {
      weights.forEach(this::queue);
      isWithoutQueues = queues.isEmpty() && patterns.isEmpty();
      return this;
    }

    public Builder queue(String queue) {
      return queue(queue, 1);
    }

    public Builder queue(String queue, int weight) {
      queues.put(QueueName.of(queue), weight);
      isWithoutQueues = false;
      return this;
    }

    /** All queues that look like this, such as {@code tenant-*}, also those that come later. */
    public Builder queuePattern(String glob, int weight) {
      patterns.add(QueuePattern.of(glob, weight));
      isWithoutQueues = false;
      return this;
    }

    /** A queue gets a worker only when all heavier ones are empty. */
    public Builder strictPriority() {
      this.strictPriority = true;
      return this;
    }

    /** How many tasks of a queue may run at once, over all servers; Go servers do not obey. */
    public Builder maxActive(String queue, int maxActive) {
      QueueName name = QueueName.of(queue);
      rules.put(name, new QueueRules(maxActive, false, rateOf(name)));
      return this;
    }

    /** One task of a queue at a time, in their order; one that fails holds the line. */
    public Builder ordered(String queue) {
      QueueName name = QueueName.of(queue);
      rules.put(name, new QueueRules(0, true, rateOf(name)));
      return this;
    }

    /** How many tasks of a queue may begin in how long, over all servers; Go ones do not obey. */
    public Builder rateLimit(String queue, RateLimit rate) {
      rules.merge(
          QueueName.of(queue),
          new QueueRules(0, false, rate),
          (own, given) -> new QueueRules(own.maxActive(), own.ordered(), given.rate()));
      return this;
    }

    private @Nullable RateLimit rateOf(QueueName queue) {
      return rules.getOrDefault(queue, QueueRules.NONE).rate();
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

    public Builder retryPolicy(TaskType<?> type, RetryPolicy policy) {
      retryPolicies.put(type.name(), policy);
      return this;
    }

    /** Which exceptions cost a retry; all when not said. The others are tried again for ever. */
    public Builder isFailure(Predicate<Throwable> isFailure) {
      this.isFailure = isFailure;
      return this;
    }

    /** How results are written; JSON when not said. */
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

    /** How long the outcome of a handler that was asked to stop still counts; 2 seconds. */
    public Builder cancelGrace(Duration grace) {
      this.cancelGrace = grace;
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

    /** How long a task waits that no handler is registered for; a minute. */
    public Builder missingHandlerDelay(Duration delay) {
      this.missingHandlerDelay = delay;
      return this;
    }

    /**
     * Whether the latest five failures of a task are kept with it, each with its time, error and
     * stack trace; they are.
     */
    public Builder keepFailures(boolean keep) {
      this.keepFailures = keep;
      return this;
    }

    /**
     * How many failures of one task type are logged in 10 seconds, and as many of those that
     * archive their task; the others are counted, and their number is logged. Default: 10.
     */
    public Builder failureLogLimit(int limit) {
      this.failureLogLimit = limit;
      return this;
    }

    /**
     * Whether each failure is logged with its stack trace, and not only one that archives its task.
     * Default: false.
     */
    public Builder logEveryStackTrace(boolean every) {
      this.logEveryStackTrace = every;
      return this;
    }

    /** How long after its last sign of life a worker counts as vanished; 15 seconds. */
    public Builder lease(Duration lease) {
      this.lease = lease;
      return this;
    }

    /**
     * How often leases are extended, and the server shows itself. Default: 5 seconds, or a third of
     * the lease where that is shorter.
     */
    public Builder heartbeat(Duration heartbeat) {
      this.heartbeat = heartbeat;
      this.heartbeatGiven = true;
      return this;
    }

    /** How often empty queues are asked where Redis may not tell of changes; a second. */
    public Builder pollInterval(Duration interval) {
      this.pollInterval = interval;
      return this;
    }

    /** How often tasks of vanished workers are looked for; 2 seconds. */
    public Builder recoverInterval(Duration interval) {
      this.recoverInterval = interval;
      return this;
    }

    /** How often due tasks are looked for beside the times that are known; 5 seconds. */
    public Builder forwardInterval(Duration interval) {
      this.forwardInterval = interval;
      return this;
    }

    /** How often what has been kept for long enough is deleted; 8 seconds. */
    public Builder janitorInterval(Duration interval) {
      this.janitorInterval = interval;
      return this;
    }

    /** How often what was left half written is put right; a minute. */
    public Builder repairInterval(Duration interval) {
      this.repairInterval = interval;
      return this;
    }

    /** Is told from time to time whether Redis answers: null, or what went wrong. */
    public Builder healthCheck(Consumer<@Nullable Throwable> listener) {
      this.healthCheck = listener;
      return this;
    }

    /** How often; 15 seconds. */
    public Builder healthInterval(Duration interval) {
      this.healthInterval = interval;
      return this;
    }

    /** The crash of its worker in a row at which a task is archived; the third. */
    public Builder maxCrashes(int maxCrashes) {
      this.maxCrashes = maxCrashes;
      return this;
    }

    /** How long a task waits after the second crash, doubling from then on; 30 seconds. */
    public Builder crashDelay(Duration delay) {
      this.crashDelay = delay;
      return this;
    }

    /** How much longer than its lease a Go worker is given; 30 seconds. */
    public Builder goGrace(Duration grace) {
      this.goGrace = grace;
      return this;
    }

    /** How many archived tasks of a queue are kept; 7,900. */
    public Builder archiveSize(int maxSize) {
      this.archiveSize = maxSize;
      return this;
    }

    /** How long archived tasks are kept; 90 days. */
    public Builder archiveAge(Duration maxAge) {
      this.archiveAge = maxAge;
      return this;
    }

    /** Lets an equal task in when a unique one has been archived. */
    public Builder archiveReleasesLocks() {
      this.archiveReleasesLocks = true;
      return this;
    }

    /** Makes one task of the tasks of a group; without it, groups wait for another server. */
    public Builder aggregator(GroupAggregator aggregator) {
      this.aggregator = aggregator;
      return this;
    }

    /** With so many tasks a group is ready; any number when not said. */
    public Builder groupMaxSize(int maxSize) {
      this.groupMaxSize = maxSize;
      return this;
    }

    /** After so long a group is ready, even when tasks keep coming; any time when not said. */
    public Builder groupMaxDelay(Duration maxDelay) {
      this.groupMaxDelay = maxDelay;
      return this;
    }

    /** When no task came for so long, a group is ready; a minute. */
    public Builder groupGrace(Duration grace) {
      this.groupGrace = grace;
      return this;
    }

    /** How long an aggregator may take before its tasks go back; 2 minutes. */
    public Builder groupTimeout(Duration timeout) {
      this.groupTimeout = timeout;
      return this;
    }

    /** How many groups are aggregated at once; 3. */
    public Builder groupParallelism(int parallelism) {
      this.groupParallelism = parallelism;
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

    /** Room for two heartbeats that fail. */
    private static Duration atMostAThird(Duration heartbeat, Duration lease) {
      Duration third = lease.dividedBy(3);
      return third.compareTo(heartbeat) < 0 ? third : heartbeat;
    }

    ServerConfig config() {
      Map<QueueName, Integer> served =
          queues.isEmpty() && patterns.isEmpty() && defined == null
              ? Map.of(QueueName.DEFAULT, 1)
              : queues;
      return new ServerConfig(
          concurrency,
          served,
          patterns,
          strictPriority,
          rules,
          retryPolicy,
          retryPolicies,
          isFailure,
          codec,
          listeners,
          executor,
          shutdownTimeout,
          cancelGrace,
          missingHandlerDelay,
          new ResultLimit(maxResult),
          keepFailures,
          failureLogLimit,
          logEveryStackTrace,
          lease,
          heartbeatGiven ? heartbeat : atMostAThird(heartbeat, lease),
          pollInterval,
          recoverInterval,
          forwardInterval,
          janitorInterval,
          repairInterval,
          healthInterval,
          healthCheck,
          new CrashRules(maxCrashes, crashDelay, goGrace),
          new ArchiveRules(archiveSize, archiveAge, archiveReleasesLocks),
          aggregator == null
              ? null
              : new GroupConfig(
                  aggregator,
                  new GroupRules(groupMaxSize, groupMaxDelay, groupGrace, groupTimeout),
                  groupParallelism),
          defined);
    }
  }
}
