package io.asynq4j.definition;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.DefinitionStore;
import io.asynq4j.internal.definition.TaskDefinitionCodec;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The central list of task definitions in Redis, shared by producers, servers and the task service.
 * Thread-safe. Nothing is cached: each call reads Redis.
 *
 * <p>It never contains the URLs and programs that the task service runs. They stay in the file of
 * the service, so that write access to Redis is not enough to change them.
 */
public final class TaskDefinitions {

  private static final Logger log = LoggerFactory.getLogger(TaskDefinitions.class);

  private final DefinitionStore definitions;

  private TaskDefinitions(DefinitionStore definitions) {
    this.definitions = definitions;
  }

  public static TaskDefinitions of(RedisConnection redis) {
    return new TaskDefinitions(BrokerConnection.brokerOf(redis).definitions());
  }

  /**
   * Returns all definitions by name, sorted. Logs a warning for each unreadable one and omits it.
   */
  public Map<String, TaskDefinition> all() {
    Map<String, TaskDefinition> all = new TreeMap<>();
    definitions.all().forEach((name, text) -> parse(name, text).ifPresent(d -> all.put(name, d)));
    return all;
  }

  public Optional<TaskDefinition> find(String name) {
    return definitions.get(name).flatMap(text -> parse(name, text));
  }

  private static Optional<TaskDefinition> parse(String name, String text) {
    try {
      return Optional.of(TaskDefinitionCodec.parse(name, text));
    } catch (IllegalArgumentException e) {
      log.warn(
          "ignoring the unreadable definition of task \"{}\" in Redis: {}", name, e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Stores a definition, replacing one of the same name.
   *
   * @throws IllegalArgumentException if another definition has the same queue
   */
  public void put(TaskDefinition definition) {
    Map<String, TaskDefinition> after = all();
    after.put(definition.name(), definition);
    requireOwnQueues(after);
    definitions.put(Map.of(definition.name(), TaskDefinitionCodec.format(definition)));
  }

  /** Removes a definition; its tasks stay in their queue. Returns false if there was none. */
  public boolean remove(String name) {
    return definitions.remove(List.of(name)) == 1;
  }

  /**
   * Publishes the definitions of a configuration file. Definitions that an earlier version of the
   * file published are removed, the others stay. Returns the names of the removed ones.
   *
   * @throws IllegalArgumentException if two definitions have the same queue
   */
  public Set<String> publish(Collection<TaskDefinition> ofFile) {
    Map<String, TaskDefinition> after = all();
    Set<String> gone =
        after.values().stream()
            .filter(TaskDefinition::fromFile)
            .map(TaskDefinition::name)
            .collect(Collectors.toCollection(HashSet::new));
    Map<String, String> texts = new HashMap<>();
    for (TaskDefinition definition : ofFile) {
      gone.remove(definition.name());
      after.put(definition.name(), definition);
      texts.put(definition.name(), TaskDefinitionCodec.format(definition));
    }
    after.keySet().removeAll(gone);
    requireOwnQueues(after);
    if (!texts.isEmpty()) {
      definitions.put(texts);
    }
    if (!gone.isEmpty()) {
      definitions.remove(gone);
    }
    return gone;
  }

  /**
   * Checks that no two definitions share a queue. Limits belong to a queue, and a worker that asks
   * for one name must not get tasks of another.
   *
   * @throws IllegalArgumentException if two definitions have the same queue
   */
  public static void requireOwnQueues(Map<String, TaskDefinition> all) {
    Map<QueueName, Set<String>> users = new TreeMap<>();
    for (TaskDefinition each : all.values()) {
      users.computeIfAbsent(each.queue(), queue -> new TreeSet<>()).add(each.name());
    }
    users.forEach(
        (queue, names) -> {
          require(
              names.size() == 1,
              "the tasks %s share queue \"%s\"; set a separate queue for each"
                  .formatted(names, queue));
        });
  }
}
