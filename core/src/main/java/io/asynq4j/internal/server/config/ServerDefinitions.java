package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.definition.DefinitionCache;
import io.asynq4j.internal.definition.DefinitionSnapshot;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.server.TaskServer.UnknownNames;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task definitions as a server applies them: the queues it serves, and their limits, retry
 * policies and timeouts. Thread-safe.
 */
public final class ServerDefinitions {

  private static final Logger log = LoggerFactory.getLogger(ServerDefinitions.class);

  /** Time until a change takes effect. Reading the list is one call for a small hash. */
  public static final Duration INTERVAL = Duration.ofSeconds(2);

  private final DefinitionCache<DefinitionSnapshot> cache;
  private final Function<TaskDefinition, ServingMode> mode;
  private final Set<String> expected;
  private final UnknownNames unknownNames;

  /**
   * @param mode what the server does for a task; called again after each read
   * @param expected names that must be defined
   */
  public ServerDefinitions(
      TaskDefinitions definitions,
      Function<TaskDefinition, ServingMode> mode,
      Set<String> expected,
      UnknownNames unknownNames) {
    this.cache = new DefinitionCache<>(definitions::all, Function.identity());
    this.mode = mode;
    this.expected = Set.copyOf(expected);
    this.unknownNames = unknownNames;
  }

  /**
   * Reads the definitions before the server starts. Throws {@code IllegalStateException} if an
   * expected name is missing and must not be.
   */
  public synchronized void begin(ServedQueues queues) {
    boolean changed = cache.refresh();
    Set<String> defined = cache.current().byName().keySet();
    Set<String> missing = new TreeSet<>(expected);
    missing.removeAll(defined);
    if (!missing.isEmpty()) {
      String problem =
          "handlers without a task definition in Redis: %s; defined are %s."
                  .formatted(missing, defined)
              + " Add these tasks to the configuration of the task service, or remove the handlers";
      if (unknownNames == UnknownNames.REFUSE) {
        throw new IllegalStateException(problem);
      }
      log.warn("{}", problem);
    }
    serve(queues, changed);
  }

  /** Reads the definitions again and updates the queues of the server. */
  public synchronized void follow(ServedQueues queues) {
    serve(queues, cache.refresh());
  }

  private void serve(ServedQueues queues, boolean changed) {
    Map<QueueName, Integer> processed = new LinkedHashMap<>();
    Set<QueueName> maintained = new LinkedHashSet<>();
    for (TaskDefinition definition : cache.current().byName().values()) {
      switch (mode.apply(definition)) {
        case PROCESS -> processed.put(definition.queue(), definition.weight());
        case UPKEEP -> maintained.add(definition.queue());
        case NONE -> {}
      }
    }
    queues.define(processed, maintained, changed);
  }

  QueueRules rulesOf(QueueName queue) {
    return cache.current().rulesOf(queue);
  }

  Optional<RetryPolicy> retryPolicyOf(String type) {
    return cache.current().find(type).flatMap(TaskDefinition::retryPolicy);
  }

  /** Maximum duration of an attempt, regardless of the options of the task. */
  Optional<Duration> timeoutOf(String type) {
    return cache.current().find(type).map(TaskDefinition::timeout);
  }
}
