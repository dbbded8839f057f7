package io.asynq4j.definition;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The central list of task definitions in Redis, shared by all who hand in or execute tasks.
 * Thread-safe; nothing is cached: each call asks Redis.
 *
 * <p>It holds what tasks of a name are allowed, never what the service does for them: URLs and
 * programs stay in the file of the service, since whoever can write to Redis could choose them
 * otherwise.
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

  /** All definitions by name, sorted; one that cannot be read is left out, with a warning. */
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
      log.warn("the definition of task \"{}\" in Redis cannot be read: {}", name, e.getMessage());
      return Optional.empty();
    }
  }

  /** Puts a definition into the list, in the place of one of the same name. */
  public void put(TaskDefinition definition) {
    requireOwnQueues(with(List.of(definition)));
    definitions.put(Map.of(definition.name(), TaskDefinitionCodec.format(definition)));
  }

  /** False when there was none. Its tasks stay in their queue. */
  public boolean remove(String name) {
    return definitions.remove(List.of(name)) == 1;
  }

  /**
   * Makes the list say what a configuration file says: those of the file are put, those that an
   * earlier state of it had put are removed, the others stay. Returns the names that were removed.
   */
  public Set<String> publish(Collection<TaskDefinition> ofFile) {
    Map<String, TaskDefinition> before = all();
    Set<String> gone = new HashSet<>();
    before.values().stream()
        .filter(TaskDefinition::fromFile)
        .map(TaskDefinition::name)
        .forEach(gone::add);
    ofFile.forEach(definition -> gone.remove(definition.name()));
    Map<String, TaskDefinition> after = with(ofFile);
    after.keySet().removeAll(gone);
    requireOwnQueues(after);
    Map<String, String> texts = new HashMap<>();
    ofFile.forEach(each -> texts.put(each.name(), TaskDefinitionCodec.format(each)));
    if (!texts.isEmpty()) {
      definitions.put(texts);
    }
    if (!gone.isEmpty()) {
      definitions.remove(gone);
    }
    return gone;
  }

  private Map<String, TaskDefinition> with(Collection<TaskDefinition> changed) {
    Map<String, TaskDefinition> after = new TreeMap<>(all());
    changed.forEach(definition -> after.put(definition.name(), definition));
    return after;
  }

  /**
   * Limits are those of a queue, and a worker that asks for one name must not be given another: so
   * no queue is shared. Throws {@code IllegalArgumentException}.
   */
  public static void requireOwnQueues(Map<String, TaskDefinition> all) {
    Map<QueueName, Set<String>> users = new TreeMap<>();
    all.values()
        .forEach(
            each -> users.computeIfAbsent(each.queue(), q -> new TreeSet<>()).add(each.name()));
    users.forEach(
        (queue, names) -> {
          if (names.size() > 1) {
            throw new IllegalArgumentException(
                "the tasks %s share queue \"%s\"; each needs a queue of its own"
                    .formatted(names, queue));
          }
        });
  }
}
