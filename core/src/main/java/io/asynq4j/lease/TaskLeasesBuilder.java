package io.asynq4j.lease;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RetryPolicy;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.definition.DefinitionSnapshot;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.outcome.ResultLimit;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Configures {@link TaskLeases}. Everything has a default. Not thread-safe.
 *
 * <pre>{@code
 * TaskLeases leases = TaskLeases.builder(redis).queue("mail", q -> q.maxActive(20)).build();
 * }</pre>
 */
public final class TaskLeasesBuilder {

  private final Broker broker;
  private PayloadCodec codec;
  private final Map<QueueName, QueueSettings> queues = new LinkedHashMap<>();
  private final Map<QueueName, QueueRules> definedRules = new HashMap<>();
  private final Map<QueueName, RetryPolicy> retryPolicies = new HashMap<>();
  private RetryPolicy retryPolicy = RetryPolicy.standard();
  private ResultLimit resultLimit = ResultLimit.DEFAULT;
  private final ArchiveSettings archive = new ArchiveSettings();

  TaskLeasesBuilder(Broker broker, PayloadCodec codec) {
    this.broker = broker;
    this.codec = codec;
  }

  /** Limits of a queue over all workers: {@code .queue("mail", q -> q.maxActive(20))}. */
  public TaskLeasesBuilder queue(QueueName name, Consumer<QueueSettings> settings) {
    QueueRules.configure(queues, name, settings);
    return this;
  }

  /** As {@link #queue(QueueName, Consumer)}. */
  public TaskLeasesBuilder queue(String name, Consumer<QueueSettings> settings) {
    return queue(QueueName.of(name), settings);
  }

  /**
   * Applies the limits and retry policies of task definitions to their queues. Limits given by
   * {@link #queue} take precedence.
   */
  public TaskLeasesBuilder definitions(Collection<TaskDefinition> definitions) {
    for (TaskDefinition definition : definitions) {
      definedRules.put(definition.queue(), DefinitionSnapshot.rulesOf(definition));
      definition.retryPolicy().ifPresent(policy -> retryPolicies.put(definition.queue(), policy));
    }
    return this;
  }

  /** Sets the codec of results. Default: that of the connection. */
  public TaskLeasesBuilder codec(PayloadCodec codec) {
    this.codec = codec;
    return this;
  }

  /** Delay of a failed task if the worker sets none. Default: {@link RetryPolicy#standard}. */
  public TaskLeasesBuilder retryPolicy(RetryPolicy policy) {
    this.retryPolicy = policy;
    return this;
  }

  /** Delay of a failed task of this queue if the worker sets none. */
  public TaskLeasesBuilder retryPolicy(QueueName queue, RetryPolicy policy) {
    retryPolicies.put(queue, policy);
    return this;
  }

  /** As {@link #retryPolicy(QueueName, RetryPolicy)}. */
  public TaskLeasesBuilder retryPolicy(String queue, RetryPolicy policy) {
    return retryPolicy(QueueName.of(queue), policy);
  }

  /** Maximum size of a result in bytes. Default: 1 MiB. */
  public TaskLeasesBuilder maxResult(int bytes) {
    this.resultLimit = new ResultLimit(bytes);
    return this;
  }

  /** Limits of archives. */
  public TaskLeasesBuilder archive(Consumer<ArchiveSettings> settings) {
    settings.accept(archive);
    return this;
  }

  private LeaseRules leaseRules() {
    Map<QueueName, QueueRules> limits = new HashMap<>(definedRules);
    queues.forEach((queue, settings) -> limits.put(queue, QueueRules.of(settings)));
    return new LeaseRules(limits, ArchiveRules.of(archive));
  }

  /** Every failure that a worker reports counts and is stored. */
  private OutcomePolicy policy() {
    Map<QueueName, RetryPolicy> ofQueues = Map.copyOf(retryPolicies);
    RetryPolicy others = retryPolicy;
    return new OutcomePolicy(
        claim -> ofQueues.getOrDefault(claim.queue(), others),
        error -> true,
        codec,
        resultLimit,
        Duration.ZERO,
        /* keepsFailures= */ true);
  }

  public TaskLeases build() {
    return new TaskLeases(broker, leaseRules(), policy());
  }
}
