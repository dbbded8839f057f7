package io.asynq4j.service.definition;

import io.asynq4j.TaskOptions;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.redis.RedisConnection;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The central list of definitions as this replica last read it, and what follows from it.
 * Thread-safe.
 */
public final class DefinitionCatalog {

  private static final Logger log = LoggerFactory.getLogger(DefinitionCatalog.class);

  /**
   * A definition, ready for use.
   *
   * @param options how its tasks are enqueued
   */
  public record Entry(
      TaskDefinition definition, TaskOptions options, @Nullable ParamsSchema schema) {}

  private record State(
      Map<String, TaskDefinition> definitions,
      Map<String, Entry> byName,
      Map<String, Entry> byQueue,
      TaskLeases leases) {}

  private final RedisConnection redis;
  private final TaskDefinitions definitions;
  private volatile State state;

  public DefinitionCatalog(RedisConnection redis) {
    this.redis = redis;
    this.definitions = TaskDefinitions.of(redis);
    this.state = stateOf(Map.of());
  }

  public TaskDefinitions definitions() {
    return definitions;
  }

  /** Reads the list; true when it has changed. */
  public synchronized boolean refresh() {
    Map<String, TaskDefinition> now = definitions.all();
    if (now.equals(state.definitions())) {
      return false;
    }
    state = stateOf(now);
    return true;
  }

  private State stateOf(Map<String, TaskDefinition> all) {
    Map<String, Entry> byName = new LinkedHashMap<>();
    Map<String, Entry> byQueue = new LinkedHashMap<>();
    TaskLeases.Builder leases = TaskLeases.builder(redis);
    all.forEach(
        (name, definition) -> {
          Entry entry = new Entry(definition, definition.options(), schema(definition));
          byName.put(name, entry);
          byQueue.put(definition.queue().value(), entry);
          if (definition.ordered()) {
            leases.queue(definition.queue().value(), q -> q.ordered());
          } else if (definition.maxRun() > 0) {
            leases.queue(definition.queue().value(), q -> q.maxActive(definition.maxRun()));
          }
          if (definition.rate() != null) {
            leases.queue(definition.queue().value(), q -> q.rateLimit(definition.rate()));
          }
          definition
              .retryPolicy()
              .ifPresent(policy -> leases.retryPolicy(definition.queue().value(), policy));
        });
    return new State(all, byName, byQueue, leases.build());
  }

  private static @Nullable ParamsSchema schema(TaskDefinition definition) {
    if (definition.paramsSchema() == null) {
      return null;
    }
    try {
      return new ParamsSchema(definition.paramsSchema());
    } catch (IllegalArgumentException e) {
      log.warn("the schema of task \"{}\" is not usable and not looked at", definition.name(), e);
      return null;
    }
  }

  public Optional<Entry> find(String name) {
    return Optional.ofNullable(state.byName().get(name));
  }

  public Optional<TaskDefinition> definition(String name) {
    return find(name).map(Entry::definition);
  }

  public Optional<Entry> ofQueue(String queue) {
    return Optional.ofNullable(state.byQueue().get(queue));
  }

  /** The same, and reads the list again when it does not know this task to be of this queue. */
  public boolean isQueueOf(String queue, String name) {
    if (ownsQueue(name, queue)) {
      return true;
    }
    refresh();
    return ownsQueue(name, queue);
  }

  private boolean ownsQueue(String name, String queue) {
    return ofQueue(queue).filter(entry -> entry.definition().name().equals(name)).isPresent();
  }

  public Collection<Entry> all() {
    return state.byName().values();
  }

  /** Leases with the limits of the list. */
  public TaskLeases leases() {
    return state.leases();
  }
}
