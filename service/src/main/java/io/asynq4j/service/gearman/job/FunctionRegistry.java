package io.asynq4j.service.gearman.job;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.internal.definition.DefinitionCache;
import io.asynq4j.internal.definition.DefinitionSnapshot;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.executor.RedisServerLocator;
import io.asynq4j.service.gearman.GearmanConfig;
import io.asynq4j.service.gearman.protocol.GearmanException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The functions of the gateway: the task definitions as they were last read. A function is the task
 * of its name; jobs of high and low priority are the tasks {@code <name>:high} and {@code
 * <name>:low}, if those are defined. Thread-safe.
 */
public final class FunctionRegistry {

  private static final Logger log = LoggerFactory.getLogger(FunctionRegistry.class);

  /** Minimum time between reads of the definitions because of unknown names. */
  private static final Duration FRESH = Duration.ofMillis(200);

  /** gearmand has no limit, so this one is longer than any usual job. */
  private static final Duration UNDEFINED_TIMEOUT = Duration.ofHours(24);

  private record State(
      DefinitionSnapshot definitions, Map<String, String> queueByTag, TaskLeases leases) {}

  private final RedisConnection redis;
  private final TaskDefinitions definitions;
  private final DefinitionCache<State> cache;
  private final boolean acceptUndefined;
  private final int maxFunctions;
  private final int maxResult;
  private final RedisServerLocator servers = new RedisServerLocator(this::leases);
  private volatile Runnable onChange = () -> {};

  /** Names that are being defined. */
  private final Set<String> beingDefined = new HashSet<>();

  public FunctionRegistry(RedisConnection redis, GearmanConfig config) {
    this(redis, config, TaskDefinitions.of(redis)::all);
  }

  /**
   * @param source reads all definitions, by name
   */
  FunctionRegistry(
      RedisConnection redis, GearmanConfig config, Supplier<Map<String, TaskDefinition>> source) {
    this.redis = redis;
    this.definitions = TaskDefinitions.of(redis);
    this.acceptUndefined = config.acceptUndefined();
    this.maxFunctions = config.maxFunctions();
    this.maxResult = config.maxPacket();
    this.cache = new DefinitionCache<>(source, this::stateOf);
    cache.refresh();
  }

  private State stateOf(DefinitionSnapshot all) {
    Map<String, String> queueByTag = new HashMap<>();
    for (TaskDefinition definition : all.byName().values()) {
      String queue = definition.queue().value();
      queueByTag.put(JobKey.tag(queue), queue);
    }
    TaskLeases leases =
        TaskLeases.builder(redis).maxResult(maxResult).definitions(all.byName().values()).build();
    return new State(all, queueByTag, leases);
  }

  /** Sets what runs after the definitions have changed. */
  public void onChange(Runnable listener) {
    onChange = listener;
  }

  /** Reads the definitions again. Others do not wait for it: a server may not respond. */
  public void refresh() {
    if (cache.refresh()) {
      onChange.run();
    }
  }

  /** Leases with the limits of the definitions. */
  public TaskLeases leases() {
    return cache.current().leases();
  }

  /** The Redis servers that calls need. */
  public RedisServerLocator servers() {
    return servers;
  }

  /** All task definitions, including those of priorities, sorted by name. */
  public Collection<TaskDefinition> all() {
    return cache.current().definitions().byName().values();
  }

  /** Whether the name is that of another function with a priority. */
  public boolean isPriority(String name) {
    for (JobPriority priority : List.of(JobPriority.HIGH, JobPriority.LOW)) {
      String suffix = priority.nameOf("");
      if (name.endsWith(suffix)
          && find(name.substring(0, name.length() - suffix.length())).isPresent()) {
        return true;
      }
    }
    return false;
  }

  public Optional<TaskDefinition> find(String name) {
    return cache.current().definitions().find(name);
  }

  public Optional<TaskDefinition> ofQueue(String queue) {
    return cache.current().definitions().ofQueue(queue);
  }

  /** The task of a handle; empty if no function has it. */
  public Optional<JobKey> keyOf(String handle) {
    return Optional.ofNullable(cache.current().queueByTag().get(JobKey.tagOf(handle)))
        .map(queue -> new JobKey(queue, JobKey.idOf(handle)));
  }

  /** The queue from which workers claim the jobs of a function with this priority. */
  public Optional<String> queue(String function, JobPriority priority) {
    return find(priority.nameOf(function))
        .filter(FunctionRegistry::isForWorkers)
        .map(definition -> definition.queue().value());
  }

  /** Whether workers execute the function, without asking Redis; false if it is unknown. */
  public boolean isForWorkers(String function) {
    return find(function).filter(FunctionRegistry::isForWorkers).isPresent();
  }

  private static boolean isForWorkers(TaskDefinition definition) {
    return definition.kind() == TaskKind.WORKER;
  }

  /**
   * Returns a function that workers execute. Asks Redis if it is unknown. Throws {@link
   * GearmanException} if there is none.
   */
  public TaskDefinition requireForWorkers(String function) {
    TaskDefinition definition = require(function);
    if (!isForWorkers(definition)) {
      throw new GearmanException(
          "UNKNOWN_FUNCTION",
          "jobs of \"%s\" are executed by the service itself (kind %s), not by workers"
              .formatted(function, definition.kind().word()));
    }
    return definition;
  }

  /**
   * Returns the task of jobs with this function and priority. Asks Redis if the function is
   * unknown. Throws {@link GearmanException} if there is none.
   */
  TaskDefinition require(String function, JobPriority priority) {
    TaskDefinition definition = require(function);
    return withPriority(definition, priority)
        .orElseGet(
            () -> {
              TaskDefinition defined = define(priority.nameOf(function));
              return isForWorkers(defined) ? defined : definition;
            });
  }

  /** The same without asking Redis; empty if that is necessary. */
  Optional<TaskDefinition> known(String function, JobPriority priority) {
    return find(function).flatMap(definition -> withPriority(definition, priority));
  }

  /** The task of jobs with this priority; empty if it has to be defined first. */
  private Optional<TaskDefinition> withPriority(TaskDefinition definition, JobPriority priority) {
    if (priority == JobPriority.NORMAL || !isForWorkers(definition)) {
      return Optional.of(definition);
    }
    Optional<TaskDefinition> own = find(priority.nameOf(definition.name()));
    return own.isEmpty() && mayDefinePriorityOf(definition)
        ? Optional.empty()
        : Optional.of(own.filter(FunctionRegistry::isForWorkers).orElse(definition));
  }

  /**
   * The queues of a function's jobs with other priorities.
   *
   * @param own task of the jobs with this priority
   */
  List<DuplicateQueue> otherQueues(String function, TaskDefinition own) {
    List<DuplicateQueue> others = new ArrayList<>();
    boolean moreUrgent = true;
    for (JobPriority priority : JobPriority.values()) {
      moreUrgent &= !priority.nameOf(function).equals(own.name());
      String queue = queue(function, priority).orElse(own.queue().value());
      if (!queue.equals(own.queue().value())) {
        others.add(new DuplicateQueue(queue, moreUrgent));
      }
    }
    return others;
  }

  /** A second queue would have its own limits and its own order. */
  private boolean mayDefinePriorityOf(TaskDefinition definition) {
    return acceptUndefined
        && !definition.fromFile()
        && definition.maxRun() == 0
        && definition.rate() == null
        && !definition.ordered();
  }

  /**
   * Returns a function. Reads the definitions again if it is unknown, and defines it if undefined
   * functions are accepted. Throws {@link GearmanException} otherwise.
   */
  public TaskDefinition require(String function) {
    TaskDefinition definition = find(function).orElse(null);
    if (definition == null) {
      if (cache.isOlderThan(FRESH)) {
        refresh();
      }
      definition = find(function).orElse(null);
    }
    if (definition == null && acceptUndefined) {
      definition = define(function);
    }
    if (definition == null) {
      throw new GearmanException(
          "UNKNOWN_FUNCTION",
          "no task named \"%s\" is defined: define it in the configuration of the service,"
                  .formatted(function)
              + " or set gearman.acceptUndefined");
    }
    return definition;
  }

  private TaskDefinition define(String name) {
    refresh();
    TaskDefinition existing = find(name).orElse(null);
    if (existing != null) {
      return existing;
    }
    reserve(name);
    try {
      put(name);
      refresh();
    } finally {
      release(name);
    }
    TaskDefinition defined = find(name).orElse(null);
    if (defined == null) {
      throw new GearmanException(
          "UNKNOWN_FUNCTION", "\"" + name + "\" was defined and removed again");
    }
    return defined;
  }

  /** Names that other threads are defining count, too. */
  private synchronized void reserve(String name) {
    Set<String> names = new HashSet<>(cache.current().definitions().byName().keySet());
    names.addAll(beingDefined);
    if (!names.contains(name) && names.size() >= maxFunctions) {
      throw new GearmanException(
          "TOO_MANY_FUNCTIONS",
          "\"%s\" is not defined, and the maximum number of functions is reached: %,d (gearman.maxFunctions)"
              .formatted(name, maxFunctions));
    }
    beingDefined.add(name);
  }

  private synchronized void release(String name) {
    beingDefined.remove(name);
  }

  /** Like gearmand: a job may take long, and a failed job is not retried. */
  private void put(String name) {
    try {
      definitions.put(
          TaskDefinition.builder(name, TaskKind.WORKER)
              .timeout(UNDEFINED_TIMEOUT)
              .maxRetry(0)
              .build());
    } catch (IllegalArgumentException e) {
      throw new GearmanException("UNKNOWN_FUNCTION", String.valueOf(e.getMessage()));
    }
    log.info("defined the task \"{}\" for a gearman peer", name);
  }
}
