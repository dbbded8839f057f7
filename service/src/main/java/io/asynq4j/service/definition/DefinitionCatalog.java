package io.asynq4j.service.definition;

import io.asynq4j.TaskOptions;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.internal.definition.DefinitionCache;
import io.asynq4j.internal.definition.DefinitionSnapshot;
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
 * The task definitions as this replica last read them, with the options, schemas and leases that
 * follow from them. Thread-safe.
 */
public final class DefinitionCatalog {

  private static final Logger log = LoggerFactory.getLogger(DefinitionCatalog.class);

  /**
   * A definition with its options for enqueueing and its parsed schema.
   *
   * @param schema null if the definition has none
   */
  public record Entry(
      TaskDefinition definition, TaskOptions options, @Nullable ParamsSchema schema) {}

  private record State(
      DefinitionSnapshot definitions, Map<String, Entry> entries, TaskLeases leases) {}

  private final RedisConnection redis;
  private final TaskDefinitions definitions;
  private final DefinitionCache<State> cache;

  public DefinitionCatalog(RedisConnection redis) {
    this.redis = redis;
    this.definitions = TaskDefinitions.of(redis);
    this.cache = new DefinitionCache<>(definitions::all, this::stateOf);
  }

  /** The definitions in Redis. */
  public TaskDefinitions definitions() {
    return definitions;
  }

  /** Reads the definitions again. */
  public void refresh() {
    cache.refresh();
  }

  private State stateOf(DefinitionSnapshot all) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    all.byName()
        .forEach(
            (name, definition) ->
                entries.put(name, new Entry(definition, definition.options(), schema(definition))));
    TaskLeases leases = TaskLeases.builder(redis).definitions(all.byName().values()).build();
    return new State(all, entries, leases);
  }

  private static @Nullable ParamsSchema schema(TaskDefinition definition) {
    if (definition.paramsSchema() == null) {
      return null;
    }
    try {
      return new ParamsSchema(definition.paramsSchema());
    } catch (IllegalArgumentException e) {
      log.warn(
          "task \"{}\": invalid JSON Schema; its params are not validated", definition.name(), e);
      return null;
    }
  }

  public Optional<Entry> find(String name) {
    return Optional.ofNullable(cache.current().entries().get(name));
  }

  public Optional<TaskDefinition> definition(String name) {
    return cache.current().definitions().find(name);
  }

  /** Returns the definition that owns a queue. The name of the queue may be invalid. */
  public Optional<TaskDefinition> ofQueue(String queue) {
    return cache.current().definitions().ofQueue(queue);
  }

  /** Whether a queue belongs to a task. Reads the definitions again before it returns false. */
  public boolean isQueueOf(String queue, String name) {
    if (ownsQueue(name, queue)) {
      return true;
    }
    refresh();
    return ownsQueue(name, queue);
  }

  private boolean ownsQueue(String name, String queue) {
    return ofQueue(queue).filter(definition -> definition.name().equals(name)).isPresent();
  }

  /** All definitions, sorted by name. */
  public Collection<TaskDefinition> all() {
    return cache.current().definitions().byName().values();
  }

  /** Leases with the limits of the definitions. */
  public TaskLeases leases() {
    return cache.current().leases();
  }
}
