package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.server.duty.Duty;
import io.asynq4j.server.TaskServer.ServingMode;
import io.asynq4j.server.TaskServer.UnknownNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the central list of definitions said when the server last read it. Thread-safe. */
public final class ServerDefinitions {

  private static final Logger log = LoggerFactory.getLogger(ServerDefinitions.class);

  /** The list is one small hash: this is how late a change may be, for one call. */
  static final Duration INTERVAL = Duration.ofSeconds(2);

  private record Rules(
      Map<QueueName, QueueRules> ofQueue,
      Map<String, RetryPolicy> retryPolicies,
      Map<String, Duration> timeouts) {

    static Rules of(Map<String, TaskDefinition> all) {
      Map<QueueName, QueueRules> ofQueue = new HashMap<>();
      Map<String, RetryPolicy> retryPolicies = new HashMap<>();
      Map<String, Duration> timeouts = new HashMap<>();
      all.forEach(
          (name, definition) -> {
            ofQueue.put(
                definition.queue(),
                new QueueRules(definition.maxRun(), definition.ordered(), definition.rate()));
            definition.retryPolicy().ifPresent(policy -> retryPolicies.put(name, policy));
            if (definition.timeout() != null) {
              timeouts.put(name, definition.timeout());
            }
          });
      return new Rules(ofQueue, retryPolicies, timeouts);
    }
  }

  private final TaskDefinitions definitions;
  private final Function<TaskDefinition, ServingMode> care;
  private final Set<String> expected;
  private final UnknownNames unknownNames;
  private volatile Map<String, TaskDefinition> last = Map.of();
  private volatile Rules rules = Rules.of(Map.of());

  /**
   * @param expected names that there must be a definition for
   */
  public ServerDefinitions(
      TaskDefinitions definitions,
      Function<TaskDefinition, ServingMode> care,
      Set<String> expected,
      UnknownNames unknownNames) {
    this.definitions = definitions;
    this.care = care;
    this.expected = Set.copyOf(expected);
    this.unknownNames = unknownNames;
  }

  /** Before the server starts. Throws {@code IllegalStateException} when a name is missing. */
  public void begin(ServedQueues queues) {
    Map<String, TaskDefinition> all = definitions.all();
    Set<String> missing = new TreeSet<>(expected);
    missing.removeAll(all.keySet());
    if (!missing.isEmpty()) {
      String problem =
          "there are handlers for %s, and no such task definitions in Redis; defined are %s."
                  .formatted(missing, all.keySet())
              + " Put them into the configuration of the task service, or take the handlers out";
      if (unknownNames == UnknownNames.REFUSE) {
        throw new IllegalStateException(problem);
      }
      log.warn("{}", problem);
    }
    takeUp(all, queues);
  }

  /** Reads the list again. */
  public synchronized void follow(ServedQueues queues) {
    takeUp(definitions.all(), queues);
  }

  private synchronized void takeUp(Map<String, TaskDefinition> all, ServedQueues queues) {
    boolean changed = !all.equals(last);
    last = all;
    if (changed) {
      rules = Rules.of(all);
    }
    Map<QueueName, Integer> processed = new LinkedHashMap<>();
    Set<QueueName> kept = new LinkedHashSet<>();
    all.values()
        .forEach(
            definition -> {
              switch (care.apply(definition)) {
                case PROCESS -> processed.put(definition.queue(), definition.weight());
                case UPKEEP -> kept.add(definition.queue());
                case NONE -> {}
              }
            });
    queues.define(processed, kept, changed);
  }

  QueueRules rulesOf(QueueName queue) {
    return rules.ofQueue().getOrDefault(queue, QueueRules.NONE);
  }

  Optional<RetryPolicy> retryPolicyOf(String type) {
    return Optional.ofNullable(rules.retryPolicies().get(type));
  }

  /** The most that an attempt may take, whatever the task itself says. */
  Optional<Duration> timeoutOf(String type) {
    return Optional.ofNullable(rules.timeouts().get(type));
  }

  /** Follows the list while the server runs. */
  public Duty duty(ServedQueues queues) {
    return new Duty() {
      @Override
      public String name() {
        return "definitions";
      }

      @Override
      public Duration interval() {
        return INTERVAL;
      }

      @Override
      public Duration run() {
        follow(queues);
        return INTERVAL;
      }
    };
  }
}
