package io.asynq4j.lease;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations.Step;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.time.ElapsedBounds;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.LeasedTask.LeaseProgress;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.lease.LeasedTask.LeaseResult;
import io.asynq4j.lease.LeasedTask.ParsedProof;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Claims tasks, extends their leases and settles them by hand, for workers that are not a {@code
 * TaskServer}, such as workers in another process or language. Thread-safe.
 *
 * <pre>{@code
 * TaskLeases leases = TaskLeases.create(redis);
 * for (LeasedTask task : leases.claim("mail", 10, Duration.ofSeconds(30))) {
 *   send(task.task());
 *   leases.complete(task);
 * }
 * }</pre>
 *
 * <p>Nothing happens automatically. The caller extends leases in time, stops when a lease is lost
 * or the deadline of a task has passed, and settles. A {@code TaskServer} that serves the queue
 * recovers tasks whose lease has expired and enqueues tasks that become due. The limits of a queue
 * apply: those set in Redis, otherwise those of the builder.
 */
public final class TaskLeases {

  private final Broker broker;
  private final LeaseClaimer claimer;
  private final QueueFanOut fanOut;
  private final LeaseSettler settler;
  private final OutcomePolicy policy;

  TaskLeases(Broker broker, LeaseRules rules, OutcomePolicy policy) {
    this.broker = broker;
    this.claimer = new LeaseClaimer(broker, rules);
    this.fanOut = new QueueFanOut(broker.watches());
    this.policy = policy;
    this.settler = new LeaseSettler(broker.leases(), rules, policy);
  }

  /** Returns leases with default settings. */
  public static TaskLeases create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static TaskLeasesBuilder builder(RedisConnection redis) {
    return new TaskLeasesBuilder(BrokerConnection.brokerOf(redis), redis.codec());
  }

  /**
   * Claims up to {@code max} tasks from the head of a queue. Returns none if the queue is empty,
   * paused or has reached its limit of active tasks.
   *
   * @param lease how long the caller has the tasks; 1 second to 1 day
   */
  public List<LeasedTask> claim(QueueName queue, int max, Duration lease) {
    return claimBatch(queue, max, lease).tasks();
  }

  /** As {@link #claim(QueueName, int, Duration)}. */
  public List<LeasedTask> claim(String queue, int max, Duration lease) {
    return claim(QueueName.of(queue), max, lease);
  }

  /** Claims tasks, and also returns when the next task of the queue can be claimed, if known. */
  public LeaseBatch claimBatch(QueueName queue, int max, Duration lease) {
    LeaseRules.requireDuration(lease);
    return claimer.claim(queue, max, lease);
  }

  /** As {@link #claimBatch(QueueName, int, Duration)}. */
  public LeaseBatch claimBatch(String queue, int max, Duration lease) {
    return claimBatch(QueueName.of(queue), max, lease);
  }

  /**
   * The tasks claimed from a queue. Immutable.
   *
   * @param heldUntil when the next task can be claimed, if a rate limit or a failed task of an
   *     ordered queue determines it; otherwise null
   */
  public record LeaseBatch(List<LeasedTask> tasks, @Nullable Instant heldUntil) {
    public LeaseBatch {
      tasks = List.copyOf(tasks);
    }
  }

  /**
   * Returns a name of the Redis server of a cluster that has a queue, from cached data. Callers use
   * it to keep calls to one server from delaying calls to another. Empty if one server has all
   * queues.
   */
  public String serverOf(QueueName queue) {
    return broker.watches().shardOf(queue);
  }

  /** As {@link #serverOf(QueueName)}. */
  public String serverOf(String queue) {
    return serverOf(QueueName.of(queue));
  }

  /** Watches queues, so that workers need not poll for tasks. */
  public QueueWatch watch(QueueWatch.Listener listener) {
    return new QueueWatch(broker.watches(), listener);
  }

  /**
   * Notifies of tasks of any queue that are to be cancelled, until it is closed. The holder of the
   * lease restores it to get the requested {@link LeasedTask#cancelled}. A notification may be
   * lost; a restored lease always has the request.
   *
   * @param listener called with the ID of each task, on a thread that it must not block
   */
  public CancellationWatch watchCancellations(Consumer<String> listener) {
    Consumer<String> messages =
        text -> {
          // Control messages are followed by a message with the ID alone.
          if (ControlMessage.parse(text).isEmpty()) {
            listener.accept(text);
          }
        };
    return broker.cancellations().subscribe(messages)::close;
  }

  /** Notifies of cancelled tasks until it is closed. Thread-safe. */
  public interface CancellationWatch extends AutoCloseable {

    @Override
    void close();
  }

  /** Extends a lease to this long from now. Returns its end; empty if the lease is lost. */
  public Optional<Instant> extend(LeasedTask task, Duration lease) {
    return extend(List.of(task), lease).get(0);
  }

  /**
   * Extends the leases on tasks of any queues. Returns one result per task, in order. If a Redis
   * server of a cluster fails, this throws after the leases on all other servers are extended.
   */
  public List<Optional<Instant>> extend(List<LeasedTask> tasks, Duration lease) {
    LeaseRules.requireDuration(lease);
    return fanOut.call(
        tasks,
        LeasedTask::queue,
        (queue, part) -> {
          List<Claim> claims = part.stream().map(LeasedTask::claim).toList();
          return broker.leases().extend(queue, claims, lease).stream()
              .map(Optional::ofNullable)
              .toList();
        });
  }

  /**
   * Returns whether an attempt has exceeded its time, measured by the monotonic clock of this
   * process, even if another process has claimed the task. A step of the clock of Redis does not
   * shorten an attempt, unlike a comparison with {@link LeasedTask#deadline()}.
   *
   * <p>An attempt that is {@link AttemptTime#OVER} has failed. One that is {@link
   * AttemptTime#UNKNOWN} must end without counting as failed, for example by {@link #abandon}.
   */
  public AttemptTime attemptTime(LeasedTask task) {
    Optional<Instant> claimedAt = broker.leases().claimedAt(task.claim());
    if (claimedAt.isEmpty()) {
      boolean left = task.deadline().isAfter(broker.clock().instant());
      return left ? AttemptTime.LEFT : AttemptTime.UNKNOWN;
    }
    Duration allowed = Duration.between(claimedAt.get(), task.deadline());
    ElapsedBounds elapsed = broker.elapsedSince(claimedAt.get());
    if (elapsed.most().compareTo(allowed) < 0) {
      return AttemptTime.LEFT;
    }
    return elapsed.least().compareTo(allowed) < 0 ? AttemptTime.UNKNOWN : AttemptTime.OVER;
  }

  /** Whether an attempt has exceeded its time, see {@link #attemptTime}. */
  public enum AttemptTime {
    /** The attempt may continue. */
    LEFT,

    /** The attempt has exceeded the timeout or the deadline of its task. */
    OVER,

    /**
     * The deadline has passed by the clock, but this process has not observed the clock for long
     * enough to exclude that it was set forward. The attempt must end and must not count as failed.
     */
    UNKNOWN
  }

  /**
   * Lets leases expire within a second, as if their workers had crashed. The tasks are recovered,
   * which costs no retry. Unlike a requeued task, a task that is abandoned too often is archived.
   */
  public void abandon(List<LeasedTask> tasks) {
    extend(tasks, LeaseRules.SHORTEST_LEASE);
  }

  /**
   * Settles a task. A result larger than {@code maxResult} is dropped, which the task records.
   *
   * @return the applied outcome with its delay and text, such as an archive instead of a retry if
   *     no retries are left. Empty if the lease is lost; nothing is changed then.
   */
  public Optional<Outcome> settle(LeasedTask task, Outcome outcome) {
    return settle(List.of(new LeaseOutcome(task, outcome))).get(0);
  }

  /**
   * Settles tasks of any queues. Returns one result per task, in order. Requeued tasks return to
   * the head of their queue in the given order. If Redis fails, the call can be repeated: tasks
   * that were settled before report a lost lease. If a Redis server of a cluster fails, the tasks
   * on all other servers are settled. If the retry policy throws, nothing is settled.
   */
  public List<Optional<Outcome>> settle(List<LeaseOutcome> outcomes) {
    // All before the first is written: a retry policy may throw.
    List<AppliedOutcome> applied =
        outcomes.stream()
            .map(each -> policy.apply(each.task().claim(), each.outcome(), null))
            .toList();
    return fanOut.call(applied, each -> each.settlement().claim().queue(), settler::settle);
  }

  /** Settles a task that succeeded. */
  public Optional<Outcome> complete(LeasedTask task) {
    return settle(task, Outcome.done());
  }

  /** Settles a task that succeeded, with a result that is kept for the retention of the task. */
  public Optional<Outcome> complete(LeasedTask task, Payload result) {
    return settle(task, Outcome.done(result));
  }

  /**
   * Completes tasks of any queues by the proofs of their leases. Equivalent to restoring and
   * settling them, but a task without retention and unique lock is not read again, and its outcome
   * has no result. Returns one outcome per task, in order.
   */
  public List<Optional<Outcome>> complete(List<LeaseResult> results) {
    return callForReadable(
        results.stream().map(each -> ParsedProof.of(each.proof(), each.result())).toList(),
        settler::complete);
  }

  /** A proof whose token cannot be read proves no lease. */
  private <A> List<Optional<A>> callForReadable(
      List<Optional<ParsedProof>> proofs,
      BiFunction<QueueName, List<ParsedProof>, List<Optional<A>>> call) {
    return QueueFanOut.callForPresent(
        proofs, readable -> fanOut.call(readable, ParsedProof::queue, call));
  }

  /**
   * Returns the lease of a token, for a process that did not claim the task. Empty if the lease is
   * lost.
   */
  public Optional<LeasedTask> restore(QueueName queue, String id, String token) {
    return restore(List.of(new LeaseProof(queue, id, token))).get(0);
  }

  /** As {@link #restore(QueueName, String, String)}. */
  public Optional<LeasedTask> restore(String queue, String id, String token) {
    return restore(List.of(new LeaseProof(queue, id, token))).get(0);
  }

  /** Restores leases on tasks of any queues. Returns one result per proof, in order. */
  public List<Optional<LeasedTask>> restore(List<LeaseProof> proofs) {
    return callForReadable(
        proofs.stream().map(proof -> ParsedProof.of(proof, Payload.absent())).toList(),
        settler::restore);
  }

  /**
   * Stores a result while the task is running. Returns false if the lease is lost. Throws if the
   * result is larger than {@code maxResult}.
   */
  public boolean writeResult(LeasedTask task, Payload result) {
    Payload written = policy.intermediateResult(task.claim(), result);
    return broker.leases().writeResult(task.claim(), written);
  }

  /** Stores the progress of a task. Returns false if the lease is lost. */
  public boolean progress(LeasedTask task, int percent, String note) {
    return broker.leases().writeProgress(task.claim(), new Progress(percent, note));
  }

  /** Stores the progress of tasks of any queues. Returns one result per report, in order. */
  public List<Boolean> progress(List<LeaseProgress> reports) {
    return fanOut.call(
        reports,
        each -> each.task().queue(),
        (queue, part) -> {
          Stream<Step> steps =
              part.stream().map(each -> new Step(each.task().claim(), each.progress()));
          return broker.leases().write(queue, steps.toList());
        });
  }
}
