package io.asynq4j.lease;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.definition.DefinitionSnapshot;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.outcome.ResultLimit;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Claims tasks, extends their leases and settles them by hand, for workers that are not a {@code
 * TaskServer}: those of another process, another language, another protocol. Thread-safe.
 *
 * <p>Nothing is done by itself. Whoever claims extends the lease in time, stops when it is lost or
 * when the task's deadline has passed, and settles. Tasks whose lease has ended are given to others
 * by a {@code TaskServer} that serves the queue; so are those whose time has come. Limits of a
 * queue hold here too: those set in Redis, else those given to the builder.
 */
public final class TaskLeases {

  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);

  private final Broker broker;
  private final LeaseClaimer claimer;
  private final LeaseKeeper keeper;
  private final LeaseSettler settler;

  private TaskLeases(Builder builder) {
    LeaseRules rules = builder.leaseRules();
    QueueFanOut fanOut = new QueueFanOut(builder.broker.watches());
    this.broker = builder.broker;
    this.claimer = new LeaseClaimer(broker, rules);
    this.keeper = new LeaseKeeper(broker, fanOut);
    this.settler = new LeaseSettler(broker.leases(), fanOut, keeper, rules, builder.policy());
  }

  public static TaskLeases create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(BrokerConnection.brokerOf(redis));
  }

  static Builder builder(Broker broker) {
    return new Builder(broker);
  }

  /**
   * Takes up to so many tasks from the head of a queue. None when the queue has none, is paused, or
   * has as many running as it may.
   *
   * @param lease how long they are the caller's; 1 second to 1 day
   */
  public List<LeasedTask> claim(String queue, int max, Duration lease) {
    return claimBatch(queue, max, lease).tasks();
  }

  /** The same, and says when the next task of the queue may be claimed, where time decides it. */
  public LeaseBatch claimBatch(String queue, int max, Duration lease) {
    if (max < 1) {
      throw new IllegalArgumentException("a claim must be for at least one task, got " + max);
    }
    requireLease(lease);
    return claimer.claim(QueueName.of(queue), max, lease);
  }

  /**
   * A name of the Redis server of a cluster that has a queue, for callers that do not want to wait
   * for one server with calls to another. Known without asking Redis. Empty where one server has
   * all queues.
   */
  public String serverOf(String queue) {
    return broker.watches().shardOf(QueueName.of(queue));
  }

  /** Begins to watch queues, so that nobody has to claim in vain. */
  public QueueWatch watch(QueueWatch.Listener listener) {
    return new QueueWatch(broker.watches(), listener);
  }

  /**
   * Tells of tasks that somebody wants to stop, of whatever queue, until it is closed. Whoever has
   * one restores its lease, which says what is to become of the task. Best effort: what is not
   * heard is still said when the lease is restored.
   *
   * @param listener told the id of each, on a thread of its own, which it must not keep
   */
  public CancellationWatch watchCancellations(Consumer<String> listener) {
    Subscription subscription =
        broker
            .cancellations()
            .subscribe(
                text -> {
                  // Whoever is given an order of ours is told by the id alone too.
                  if (ControlMessage.parse(text).isEmpty()) {
                    listener.accept(text);
                  }
                });
    return subscription::close;
  }

  /** Makes a lease end so long from now. When it does; empty when it is lost. */
  public Optional<Instant> extend(LeasedTask task, Duration lease) {
    return extend(List.of(task), lease).get(0);
  }

  /**
   * The same for many, of any queues. One answer for each, in order. When a Redis server of a
   * cluster fails, this throws after it has extended the leases on all tasks of the others.
   */
  public List<Optional<Instant>> extend(List<LeasedTask> tasks, Duration lease) {
    requireLease(lease);
    return keeper.extend(tasks, lease);
  }

  /**
   * Whether the time of an attempt is over. This is measured by the steady timer of this process,
   * whichever process has claimed the task: after a step of the clock of Redis, an attempt still
   * has all of its time. By {@link LeasedTask#deadline()} alone, it would fail without a fault of
   * its worker.
   *
   * <p>An attempt that is {@link AttemptTime#OVER} has failed. One that is {@link
   * AttemptTime#UNKNOWN} ends without a failure, as by {@link #abandon}.
   */
  public AttemptTime attemptTime(LeasedTask task) {
    return keeper.attemptTime(task);
  }

  /**
   * Lets the leases on tasks end within a second, as if their workers had crashed: the tasks are
   * recovered then, which costs no retry. Unlike tasks that are requeued, one that comes to this
   * again and again is archived in the end.
   */
  public void abandon(List<LeasedTask> tasks) {
    extend(tasks, SHORTEST_LEASE);
  }

  /**
   * Settles a task. A result that is larger than {@code maxResult} is not kept, and the task says
   * so.
   *
   * @return the outcome that was applied, with the delay and the text that were written: an archive
   *     instead of a retry when no retries are left. Empty when the lease is another worker's by
   *     now, or nobody's: then nothing was changed.
   */
  public Optional<Outcome> settle(LeasedTask task, Outcome outcome) {
    return settle(List.of(new LeaseOutcome(task, outcome))).get(0);
  }

  /**
   * Settles many, of any queues. One answer for each, in order. Tasks that are requeued stand again
   * at the head in the order in which they are given. When Redis fails, it can be repeated: what
   * was settled before then answers that the lease is lost. When a Redis server of a cluster fails,
   * the tasks of the others have been settled. When the retry policy throws, nothing was settled.
   */
  public List<Optional<Outcome>> settle(List<LeaseOutcome> outcomes) {
    return settler.settle(outcomes);
  }

  /** Settles a task that succeeded. */
  public Optional<Outcome> complete(LeasedTask task) {
    return settle(task, Outcome.done());
  }

  /** Settles a task that succeeded, with a result that is kept for its retention. */
  public Optional<Outcome> complete(LeasedTask task, Payload result) {
    return settle(task, Outcome.done(result));
  }

  /**
   * Completes many, of any queues, by what proves the leases on them. The same as restoring and
   * settling them, and cheaper: what leaves nothing behind, neither for a retention nor a lock, is
   * not read again. One answer for each, in order; without the result of a task that leaves
   * nothing.
   */
  public List<Optional<Outcome>> complete(List<LeaseResult> results) {
    return settler.complete(results);
  }

  /**
   * The lease that a token stands for, to go on with it in a process that did not claim it. Empty
   * when the lease is another's by now, or nobody's.
   */
  public Optional<LeasedTask> restore(String queue, String id, String token) {
    return restore(List.of(new LeaseProof(queue, id, token))).get(0);
  }

  /** The same for many, of any queues. One answer for each, in order. */
  public List<Optional<LeasedTask>> restore(List<LeaseProof> proofs) {
    return keeper.restore(proofs);
  }

  /**
   * Keeps a result before the task has ended. False when the lease is lost. One that is larger than
   * {@code maxResult} is refused.
   */
  public boolean writeResult(LeasedTask task, Payload result) {
    return settler.writeResult(task, result);
  }

  /** Keeps how far a worker has come, for whoever watches. False when the lease is lost. */
  public boolean progress(LeasedTask task, int percent, String note) {
    return broker.leases().writeProgress(task.claim(), new Progress(percent, note));
  }

  /** The same for many, of any queues. One answer for each, in order. */
  public List<Boolean> progress(List<LeaseProgress> reports) {
    return keeper.progress(reports);
  }

  private static void requireLease(Duration lease) {
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw new IllegalArgumentException(
          "a lease must be between %s and %s: %s".formatted(SHORTEST_LEASE, LONGEST_LEASE, lease));
    }
  }

  /** Whether an attempt has time left, see {@link #attemptTime}. */
  public enum AttemptTime {
    /** The attempt may continue. */
    LEFT,

    /** The attempt has exceeded the timeout or the deadline of its task. */
    OVER,

    /**
     * The attempt is over by the clock, but this process has not observed the clock for long enough
     * to know that it was not set forward. The attempt must end, and must not count as failed.
     */
    UNKNOWN
  }

  /** Collects rules; not thread-safe. */
  public static final class Builder {
    private final Broker broker;
    private final Map<QueueName, QueueSettings> queues = new LinkedHashMap<>();
    private final Map<QueueName, QueueRules> definedRules = new HashMap<>();
    private final Map<QueueName, RetryPolicy> retryPolicies = new HashMap<>();
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private ResultLimit resultLimit = ResultLimit.DEFAULT;
    private final ArchiveSettings archive = new ArchiveSettings();

    private Builder(Broker broker) {
      this.broker = broker;
    }

    /** Limits of a queue over all workers: {@code .queue("mail", q -> q.maxActive(20))}. */
    public Builder queue(String queue, Consumer<QueueSettings> settings) {
      QueueName name = QueueName.of(queue);
      QueueSettings given = queues.computeIfAbsent(name, any -> new QueueSettings());
      try {
        settings.accept(given);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("queue \"" + name + "\": " + e.getMessage(), e);
      }
      return this;
    }

    /**
     * Applies the limits and retry policies of task definitions to their queues. Limits given by
     * {@link #queue} take precedence.
     */
    public Builder definitions(Collection<TaskDefinition> definitions) {
      for (TaskDefinition definition : definitions) {
        definedRules.put(definition.queue(), DefinitionSnapshot.rulesOf(definition));
        definition.retryPolicy().ifPresent(policy -> retryPolicies.put(definition.queue(), policy));
      }
      return this;
    }

    /** Delay of a failed task when the worker gives none. */
    public Builder retryPolicy(RetryPolicy policy) {
      this.retryPolicy = policy;
      return this;
    }

    /** Delay of a failed task of this queue when the worker gives none. */
    public Builder retryPolicy(String queue, RetryPolicy policy) {
      retryPolicies.put(QueueName.of(queue), policy);
      return this;
    }

    /** Maximum size of a result in bytes. Default: 1 MiB. */
    public Builder maxResult(int bytes) {
      this.resultLimit = new ResultLimit(bytes);
      return this;
    }

    /** How much is kept of archived tasks. */
    public Builder archive(Consumer<ArchiveSettings> settings) {
      settings.accept(archive);
      return this;
    }

    private LeaseRules leaseRules() {
      Map<QueueName, QueueRules> limits = new HashMap<>(definedRules);
      queues.forEach((queue, settings) -> limits.put(queue, QueueRules.of(settings)));
      return new LeaseRules(limits, ArchiveRules.of(archive));
    }

    /** Every failure counts and is kept, as far as the worker reports it. */
    private OutcomePolicy policy() {
      Map<QueueName, RetryPolicy> ofQueues = Map.copyOf(retryPolicies);
      RetryPolicy others = retryPolicy;
      return new OutcomePolicy(
          new OutcomePolicy.Rules(
              claim -> ofQueues.getOrDefault(claim.queue(), others),
              error -> true,
              PayloadCodec.json(),
              resultLimit,
              Duration.ZERO,
              /* keepsFailures= */ true));
    }

    public TaskLeases build() {
      return new TaskLeases(this);
    }
  }
}
