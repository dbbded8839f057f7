package io.asynq4j.internal.definition;

import io.asynq4j.QueueName;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All task definitions as one read returned them, indexed by name and by queue. Immutable. */
public final class DefinitionSnapshot {

  private final Map<String, TaskDefinition> byName;
  private final Map<String, TaskDefinition> byQueue = new HashMap<>();

  DefinitionSnapshot(Map<String, TaskDefinition> definitions) {
    this.byName = Collections.unmodifiableMap(new TreeMap<>(definitions));
    byName.values().forEach(definition -> byQueue.put(definition.queue().value(), definition));
  }

  /** Returns the limits that a definition sets for its queue. */
  public static QueueRules rulesOf(TaskDefinition definition) {
    return new QueueRules(definition.maxRun(), definition.ordered(), definition.rate());
  }

  /** The definitions by name, sorted. */
  public Map<String, TaskDefinition> byName() {
    return byName;
  }

  public Optional<TaskDefinition> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** Returns the definition that owns a queue. The name of the queue may be invalid. */
  public Optional<TaskDefinition> ofQueue(String queue) {
    return Optional.ofNullable(byQueue.get(queue));
  }

  /** Returns the limits of a queue; none if it belongs to no definition. */
  public QueueRules rulesOf(QueueName queue) {
    return ofQueue(queue.value()).map(each -> rulesOf(each)).orElse(QueueRules.NONE);
  }
}
