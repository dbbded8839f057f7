package io.asynq4j.server;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.server.config.AggregatorRouter;
import io.asynq4j.internal.server.config.GroupConfig;
import io.asynq4j.internal.server.config.QueuePattern;
import io.asynq4j.internal.server.config.ServerDefinitions;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.internal.time.TimeMath;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.server.TaskServer.UnknownNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Groups of settings of a {@link TaskServer}, each for one method of {@link TaskServerBuilder}.
 * None of them is thread-safe.
 *
 * <pre>{@code
 * TaskServer.builder(redis)
 *     .handlers(mux)
 *     .timing(t -> t.lease(Duration.ofSeconds(30)))
 *     .groups(g -> g.aggregator(digest).maxSize(100))
 *     .build();
 * }</pre>
 */
public final class ServerSettings {

  private ServerSettings() {}

  /** Which queues are served besides those of {@link TaskServerBuilder#queue}, and how. */
  public static final class Queues {
    private final RedisConnection redis;
    final List<QueuePattern> patterns = new ArrayList<>();
    boolean strictPriority;
    @Nullable ServerDefinitions defined;

    Queues(RedisConnection redis) {
      this.redis = redis;
    }

    /** Serves all queues that match, such as {@code tenant-*}, including those added later. */
    public Queues matching(String glob, int weight) {
      patterns.add(QueuePattern.of(glob, weight));
      return this;
    }

    /** Gives workers to a queue only while all queues of greater weight are empty. */
    public Queues strictPriority() {
      this.strictPriority = true;
      return this;
    }

    /**
     * Serves the queues of the central list of definitions in the mode that the function returns,
     * with the limits, timeouts and delays of the list, and follows changes of the list. The
     * function is called again each time the list is read.
     */
    public Queues defined(Function<TaskDefinition, ServingMode> mode) {
      return defined(mode, Set.of(), UnknownNames.WARN);
    }

    Queues defined(
        Function<TaskDefinition, ServingMode> mode, Set<String> names, UnknownNames unknownNames) {
      require(
          defined == null,
          "task definitions are set already: call either fromDefinitions(…) or queues(q -> q.defined(…)), once");
      this.defined = new ServerDefinitions(TaskDefinitions.of(redis), mode, names, unknownNames);
      return this;
    }

    boolean isEmpty() {
      return patterns.isEmpty() && defined == null;
    }
  }

  /** How groups of tasks are aggregated. */
  public static final class Groups {
    private final List<AggregatorRouter.Route> byGroup = new ArrayList<>();
    private final Map<String, GroupAggregator> byType = new LinkedHashMap<>();
    private @Nullable GroupAggregator otherwise;
    private int maxSize;
    private Duration maxDelay = Duration.ZERO;
    private Duration grace = Duration.ofMinutes(1);
    private Duration timeout = GroupRules.DEFAULT_TIMEOUT;
    private int parallelism = 3;

    Groups() {}

    /**
     * Sets the aggregator of groups that have no other one. Without any aggregator, groups wait for
     * another server.
     */
    public Groups aggregator(GroupAggregator aggregator) {
      this.otherwise = aggregator;
      return this;
    }

    /**
     * Adds an aggregator for groups whose name matches a pattern, such as {@code digest:*}. The
     * first match applies, and takes precedence over aggregators of a type.
     */
    public Groups aggregator(String groupPattern, GroupAggregator aggregator) {
      byGroup.add(new AggregatorRouter.Route(Glob.of(groupPattern), aggregator));
      return this;
    }

    /** Adds an aggregator for groups whose tasks all have this type. */
    public Groups aggregator(TaskType<?> type, GroupAggregator aggregator) {
      if (aggregator instanceof TypedAggregator<?, ?> typed) {
        require(
            typed.in().name().equals(type.name()),
            "the aggregator of task type \"%s\" combines only tasks of type \"%s\""
                .formatted(type.name(), typed.in().name()));
      }
      require(
          byType.putIfAbsent(type.name(), aggregator) == null,
          "task type \"" + type.name() + "\" already has an aggregator; set one per type");
      return this;
    }

    /** Number of tasks at which a group is aggregated. Default: 0, no limit. */
    public Groups maxSize(int tasks) {
      this.maxSize = tasks;
      return this;
    }

    /**
     * Time after its first task at which a group is aggregated, even while tasks arrive. Default:
     * 0, no limit.
     */
    public Groups maxDelay(Duration delay) {
      this.maxDelay = delay;
      return this;
    }

    /** Time without a new task after which a group is aggregated. Default: 1 minute. */
    public Groups grace(Duration newGrace) {
      this.grace = newGrace;
      return this;
    }

    /** Time limit of an aggregator, after which its tasks return. Default: 2 minutes. */
    public Groups timeout(Duration newTimeout) {
      this.timeout = newTimeout;
      return this;
    }

    /** Maximum number of groups that are aggregated at the same time. Default: 3. */
    public Groups parallelism(int groups) {
      this.parallelism = groups;
      return this;
    }

    /** Returns null without any aggregator: groups then wait for another server. */
    @Nullable GroupConfig config(PayloadCodec codec) {
      GroupConfig config =
          new GroupConfig(
              new AggregatorRouter(byGroup, byType, otherwise, codec),
              new GroupRules(maxSize, maxDelay, grace, timeout),
              parallelism);
      return byGroup.isEmpty() && byType.isEmpty() && otherwise == null ? null : config;
    }
  }

  /** Leases, timeouts, intervals of the background duties, and the health check. */
  public static final class Timing {
    Duration lease = Duration.ofSeconds(15);
    private @Nullable Duration heartbeat;
    Duration cancelGrace = Duration.ofSeconds(2);
    Duration pollInterval = Duration.ofSeconds(1);
    Duration recoverInterval = Duration.ofSeconds(2);
    Duration forwardInterval = Duration.ofSeconds(5);
    Duration janitorInterval = Duration.ofSeconds(8);
    Duration repairInterval = Duration.ofMinutes(1);
    Duration healthInterval = Duration.ofSeconds(15);
    @Nullable Consumer<@Nullable Throwable> healthCheck;

    Timing() {}

    /**
     * Time after its last heartbeat at which a server loses its active tasks to others. Default: 15
     * seconds.
     */
    public Timing lease(Duration newLease) {
      this.lease = newLease;
      return this;
    }

    /**
     * Interval at which leases are extended and the server shows that it is alive. Default: 5
     * seconds, or a third of the lease if that is shorter.
     */
    public Timing heartbeat(Duration interval) {
      this.heartbeat = interval;
      return this;
    }

    /** Time in which the outcome of a cancelled handler still counts. Default: 2 seconds. */
    public Timing cancelGrace(Duration grace) {
      this.cancelGrace = grace;
      return this;
    }

    /** Interval of polling empty queues where Redis cannot notify. Default: 1 second. */
    public Timing pollInterval(Duration interval) {
      this.pollInterval = interval;
      return this;
    }

    /** Interval of the search for tasks whose lease has expired. Default: 2 seconds. */
    public Timing recoverInterval(Duration interval) {
      this.recoverInterval = interval;
      return this;
    }

    /**
     * Interval at which the server searches for due tasks, in addition to the due times that it
     * knows. Default: 5 seconds.
     */
    public Timing forwardInterval(Duration interval) {
      this.forwardInterval = interval;
      return this;
    }

    /** Interval of deleting tasks whose retention has ended. Default: 8 seconds. */
    public Timing janitorInterval(Duration interval) {
      this.janitorInterval = interval;
      return this;
    }

    /** Interval of repairing data that interrupted writers have left. Default: 1 minute. */
    public Timing repairInterval(Duration interval) {
      this.repairInterval = interval;
      return this;
    }

    /**
     * Sends a PING to Redis at this interval, and calls the listener with null or with the failure.
     * Default: no health check.
     */
    public Timing healthCheck(Duration interval, Consumer<@Nullable Throwable> listener) {
      this.healthInterval = interval;
      this.healthCheck = listener;
      return this;
    }

    /** By default, two heartbeats may fail before the lease ends. */
    Duration heartbeat() {
      return Objects.requireNonNullElse(
          heartbeat, TimeMath.min(Duration.ofSeconds(5), lease.dividedBy(3)));
    }
  }

  /** What happens to tasks whose worker has crashed. */
  public static final class Crashes {
    private int max = CrashRules.DEFAULT.maxCrashes();
    private Duration delay = CrashRules.DEFAULT.delay();
    private Duration goGrace = CrashRules.DEFAULT.goGrace();

    Crashes() {}

    /** Number of crashes in a row at which a task is archived. Default: 3. */
    public Crashes max(int crashes) {
      this.max = crashes;
      return this;
    }

    /** Delay after the second crash; it doubles with each further one. Default: 30 seconds. */
    public Crashes delay(Duration newDelay) {
      this.delay = newDelay;
      return this;
    }

    /** Time that a Go worker gets beyond its lease. Default: 30 seconds. */
    public Crashes goGrace(Duration grace) {
      this.goGrace = grace;
      return this;
    }

    CrashRules rules() {
      return new CrashRules(max, delay, goGrace);
    }
  }

  /** Which attempts have failed, and how they are recorded and logged. */
  public static final class Failures {
    boolean keep = true;
    int logLimit = 10;
    boolean logEveryStackTrace;
    Duration missingHandlerDelay = Duration.ofMinutes(1);
    Predicate<Throwable> isFailure = error -> true;

    Failures() {}

    /**
     * Sets which exceptions count as failures and use up a retry. Tasks that throw other exceptions
     * are retried without limit. Default: all.
     */
    public Failures isFailure(Predicate<Throwable> newIsFailure) {
      this.isFailure = newIsFailure;
      return this;
    }

    /**
     * Whether the last five failures of a task are stored with it: time, error and stack trace.
     * Default: true.
     */
    public Failures keep(boolean newKeep) {
      this.keep = newKeep;
      return this;
    }

    /**
     * Maximum number of failures of one task type that are logged in 10 seconds, and of those that
     * archive their task. The others are counted, and their number is logged. Default: 10.
     */
    public Failures logLimit(int failures) {
      this.logLimit = failures;
      return this;
    }

    /**
     * Whether every failure is logged with its stack trace, not only those that archive their task.
     * Default: false.
     */
    public Failures logEveryStackTrace(boolean every) {
      this.logEveryStackTrace = every;
      return this;
    }

    /** Delay of a task for which no handler is registered. Default: 1 minute. */
    public Failures missingHandlerDelay(Duration delay) {
      this.missingHandlerDelay = delay;
      return this;
    }
  }
}
