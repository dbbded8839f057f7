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
 * The functions there are: the central list of task definitions as it was last read. A function is
 * the task of its name; jobs of high and low priority are the tasks {@code <name>:high} and {@code
 * <name>:low}, if those are defined. Thread-safe.
 */
public final class FunctionRegistry {

  private static final Logger log = LoggerFactory.getLogger(FunctionRegistry.class);

  /** Minimum time between reads of the definitions because of unknown names. */
  private static final Duration FRESH = Duration.ofMillis(200);

  /** gearmand knows no limit; one that nobody meets by accident. */
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

  /** All task definitions, those of priorities too, by name. */
  public Collection<TaskDefinition> all() {
    return cache.current().definitions().byName().values();
  }

  /** Whether a name is but a priority of another function. */
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

  /** The task that a handle stands for, if it is of a function of the list. */
  public Optional<JobKey> keyOf(String handle) {
    return Optional.ofNullable(cache.current().queueByTag().get(JobKey.tagOf(handle)))
        .map(queue -> new JobKey(queue, JobKey.idOf(handle)));
  }

  /** Where workers find the jobs of a function that have this priority. */
  public Optional<String> queue(String function, JobPriority priority) {
    return find(priority.nameOf(function))
        .filter(definition -> definition.kind() == TaskKind.WORKER)
        .map(definition -> definition.queue().value());
  }

  /** Whether workers may take its jobs; empty when it has to be looked at in Redis. */
  public Optional<Boolean> isKnownWork(String function) {
    return find(function).map(definition -> definition.kind() == TaskKind.WORKER);
  }

  /**
   * The function, for a worker. Throws {@link GearmanException}; asks Redis when it is not known.
   */
  public TaskDefinition requireWork(String function) {
    TaskDefinition definition = require(function);
    if (definition.kind() != TaskKind.WORKER) {
      throw new GearmanException(
          "UNKNOWN_FUNCTION",
          "jobs of \"%s\" are executed by the service itself (kind %s), not by workers"
              .formatted(function, definition.kind().word()));
    }
    return definition;
  }

  /**
   * Where a job of this function and priority goes. Throws {@link GearmanException}; asks Redis
   * when the function is not known.
   */
  TaskDefinition require(String function, JobPriority priority) {
    TaskDefinition definition = require(function);
    if (priority == JobPriority.NORMAL || definition.kind() != TaskKind.WORKER) {
      return definition;
    }
    String name = priority.nameOf(function);
    TaskDefinition urgent = find(name).orElse(null);
    if (urgent == null && mayDefinePriorityOf(definition)) {
      urgent = define(name);
    }
    return urgent == null || urgent.kind() != TaskKind.WORKER ? definition : urgent;
  }

  /** The same, without asking Redis; empty where that is needed. */
  Optional<TaskDefinition> known(String function, JobPriority priority) {
    TaskDefinition definition = find(function).orElse(null);
    if (definition == null
        || priority == JobPriority.NORMAL
        || definition.kind() != TaskKind.WORKER) {
      return Optional.ofNullable(definition);
    }
    TaskDefinition urgent = find(priority.nameOf(function)).orElse(null);
    if (urgent == null && mayDefinePriorityOf(definition)) {
      return Optional.empty();
    }
    return Optional.of(urgent == null || urgent.kind() != TaskKind.WORKER ? definition : urgent);
  }

  /**
   * The other queues where jobs of a function may be, since their priorities differ.
   *
   * @param own where this one goes
   */
  List<DuplicateJob> otherQueues(String function, TaskDefinition own) {
    List<DuplicateJob> others = new ArrayList<>();
    boolean moreUrgent = true;
    for (JobPriority priority : JobPriority.values()) {
      moreUrgent &= !priority.nameOf(function).equals(own.name());
      String queue = queue(function, priority).orElse(own.queue().value());
      if (!queue.equals(own.queue().value())) {
        others.add(new DuplicateJob(queue, moreUrgent));
      }
    }
    return others;
  }

  /** A second queue would make a limit twice as large, and two lines of one. */
  private boolean mayDefinePriorityOf(TaskDefinition definition) {
    return acceptUndefined
        && !definition.fromFile()
        && definition.maxRun() == 0
        && definition.rate() == null
        && !definition.ordered();
  }

  private TaskDefinition require(String function) {
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
              + " or have the gateway accept undefined functions (gearman.acceptUndefined)");
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

  /** Those that others are putting into the list count, too. */
  private synchronized void reserve(String name) {
    Set<String> names = new HashSet<>(cache.current().definitions().byName().keySet());
    names.addAll(beingDefined);
    if (!names.contains(name) && names.size() >= maxFunctions) {
      throw new GearmanException(
          "TOO_MANY_FUNCTIONS",
          "\"%s\" is not defined, and there are as many functions as may be put by clients and workers: %,d"
                  .formatted(name, maxFunctions)
              + " (gearman.maxFunctions)");
    }
    beingDefined.add(name);
  }

  private synchronized void release(String name) {
    beingDefined.remove(name);
  }

  /** As gearmand has it: a job may take long, and one that has failed is not tried again. */
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

  /**
   * Defines a function as if a peer had asked for it. Throws {@link GearmanException} where
   * undefined ones are not accepted.
   */
  public TaskDefinition create(String function) {
    return require(function);
  }
}
