package io.asynq4j.lease;

import io.asynq4j.ArchiveSettings;
import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.QueueName;
import io.asynq4j.QueueSettings;
import io.asynq4j.RetryPolicy;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.ResultLimit;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.time.ElapsedBounds;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /** Failures are kept, as far as the worker tells of them. */
  private static final String NO_TRACE = "";

  private static final Logger log = LoggerFactory.getLogger(TaskLeases.class);

  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);

  /** A lease is in whole seconds, and our clock is not exactly that of Redis. */
  private static final Duration TOLERANCE = Duration.ofSeconds(3);

  private final Broker broker;
  private final Map<QueueName, QueueRules> rules;
  private final ArchiveRules archive;
  private final RetryPolicy retryPolicy;
  private final ResultLimit resultLimit;

  private TaskLeases(Builder builder) {
    this.broker = builder.broker;
    Map<QueueName, QueueRules> limits = new LinkedHashMap<>();
    builder.queues.forEach((queue, settings) -> limits.put(queue, QueueRules.of(settings)));
    this.rules = Map.copyOf(limits);
    this.archive = ArchiveRules.of(builder.archive);
    this.retryPolicy = builder.retryPolicy;
    this.resultLimit = builder.resultLimit;
  }

  public static TaskLeases create(RedisConnection redis) {
    return builder(redis).build();
  }

  public static Builder builder(RedisConnection redis) {
    return new Builder(redis.broker());
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
      throw new IllegalArgumentException("a claim must be for one task or more: " + max);
    }
    requireLease(lease);
    QueueName name = QueueName.of(queue);
    List<LeasedTask> claimed = new ArrayList<>();
    Instant heldUntil = null;
    while (claimed.size() < max) {
      ClaimBatch batch;
      try {
        batch = broker.leases().claim(name, max - claimed.size(), lease, rulesOf(name));
      } catch (BrokerException e) {
        if (claimed.isEmpty()) {
          throw e;
        }
        log.warn("{} tasks of queue {} were claimed, then Redis failed", claimed.size(), name, e);
        break;
      }
      Instant now = broker.clock().instant().truncatedTo(ChronoUnit.MILLIS);
      claimed.addAll(leased(name, inFull(name, batch.claims(), lease, now), now));
      if (batch.rest() != ClaimBatch.QueueCondition.MORE) {
        heldUntil = batch.heldUntil();
        break;
      }
    }
    return new LeaseBatch(claimed, heldUntil);
  }

  /**
   * With the deadlines that hold when they are restored too. What was claimed so long ago that no
   * time is left, because the answer got lost, goes back unharmed.
   */
  private List<LeasedTask> leased(QueueName queue, List<Claim> claims, Instant now) {
    List<LeasedTask> leased = new ArrayList<>(claims.size());
    List<Settlement> late = new ArrayList<>();
    for (Claim claim : claims) {
      Instant claimedAt = broker.leases().claimedAt(claim).orElse(now);
      Instant deadline = claim.message().endOfAttempt(claimedAt);
      if (!deadline.isAfter(now) && claim.message().endOfAttempt(now).isAfter(now)) {
        late.add(new Settlement.Requeue(claim));
      } else {
        leased.add(new LeasedTask(claim, deadline));
      }
    }
    if (!late.isEmpty()) {
      try {
        broker.leases().settle(queue, late, rulesOf(queue), archive);
      } catch (BrokerException e) {
        log.warn(
            "{} tasks of queue {} could not be given back; the recoverer will do it",
            late.size(),
            queue,
            e);
      }
    }
    return leased;
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

  /**
   * A claim whose answer got lost is given to the next who asks. Its lease has run for a while, and
   * nobody here extends leases by himself, so it is made as long as was asked for.
   */
  private List<Claim> inFull(QueueName queue, List<Claim> claims, Duration lease, Instant now) {
    Instant least = now.plus(lease).minus(TOLERANCE);
    if (claims.isEmpty() || !claims.get(0).leasedUntil().isBefore(least)) {
      return claims;
    }
    List<@Nullable Instant> ends;
    try {
      ends = broker.leases().extend(queue, claims, lease);
    } catch (BrokerException e) {
      log.warn(
          "the leases on {} tasks of queue {} could not be extended; they end sooner than asked",
          claims.size(),
          queue,
          e);
      return claims;
    }
    List<Claim> extended = new ArrayList<>();
    for (int i = 0; i < claims.size(); i++) {
      Instant end = ends.get(i);
      if (end != null) {
        extended.add(new Claim(claims.get(i).message(), claims.get(i).token(), end));
      }
    }
    return extended;
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
    List<Optional<Instant>> answers = new ArrayList<>(tasks.size());
    tasks.forEach(task -> answers.add(Optional.empty()));
    eachQueue(
        byQueue(tasks),
        (queue, places) -> {
          List<Claim> claims = places.stream().map(i -> tasks.get(i).claim()).toList();
          List<@Nullable Instant> ends = broker.leases().extend(queue, claims, lease);
          for (int i = 0; i < places.size(); i++) {
            answers.set(places.get(i), Optional.ofNullable(ends.get(i)));
          }
        });
    return List.copyOf(answers);
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

  /**
   * Lets the leases on tasks end within a second, as if their workers had crashed: the tasks are
   * recovered then, which costs no retry. Unlike tasks that are released, one that comes to this
   * again and again is archived in the end.
   */
  public void abandon(List<LeasedTask> tasks) {
    extend(tasks, SHORTEST_LEASE);
  }

  /**
   * Does something for each queue. Where a Redis server of a cluster fails, its other queues are
   * left out and those of other servers are not; then the failure is thrown.
   */
  private <T> void eachQueue(Map<QueueName, T> parts, BiConsumer<QueueName, T> action) {
    Set<String> away = new HashSet<>();
    BrokerUnavailableException failure = null;
    for (Map.Entry<QueueName, T> part : parts.entrySet()) {
      String server = serverOf(part.getKey().value());
      if (away.contains(server)) {
        continue;
      }
      try {
        action.accept(part.getKey(), part.getValue());
      } catch (BrokerUnavailableException e) {
        away.add(server);
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static Map<QueueName, List<Integer>> byQueue(List<LeasedTask> tasks) {
    Map<QueueName, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      places.computeIfAbsent(tasks.get(i).queue(), any -> new ArrayList<>()).add(i);
    }
    return places;
  }

  /** It succeeded. */
  public LeaseEnd complete(LeasedTask task) {
    return complete(task, Payload.absent());
  }

  /**
   * It succeeded, with a result that is kept for the task's retention. One that is larger than
   * {@code maxResult} is dropped, and the task says so.
   */
  public LeaseEnd complete(LeasedTask task, Payload result) {
    return settle(new Verdict.Complete(task, result));
  }

  /**
   * Completes many, of any queues, by what proves the leases on them. The same as restoring and
   * settling them, and cheaper: what leaves nothing behind, neither for a retention nor a lock, is
   * not read again. One answer for each, in order.
   */
  public List<LeaseEnd> complete(List<LeaseResult> results) {
    LeaseEnd[] answers = new LeaseEnd[results.size()];
    Arrays.fill(answers, LeaseEnd.LEASE_LOST);
    eachQueue(
        shown(results.stream().map(LeaseResult::proof).toList()),
        (queue, shown) -> complete(queue, shown, results, answers));
    return List.of(answers);
  }

  private void complete(
      QueueName queue, List<Shown> shown, List<LeaseResult> results, LeaseEnd[] answers) {
    List<Shown> leavingNothing = new ArrayList<>();
    List<Integer> others = new ArrayList<>();
    for (Shown each : shown) {
      if (each.token().leavesNothing()) {
        leavingNothing.add(each);
      } else {
        others.add(each.place());
      }
    }
    if (!leavingNothing.isEmpty()) {
      finish(queue, leavingNothing, answers);
    }
    if (!others.isEmpty()) {
      completeRestored(results, others, answers);
    }
  }

  private void finish(QueueName queue, List<Shown> shown, LeaseEnd[] answers) {
    List<SettleResult> ends =
        broker.leases().finish(queue, shown.stream().map(Shown::ticket).toList());
    for (int i = 0; i < ends.size(); i++) {
      if (ends.get(i) == SettleResult.DONE) {
        answers[shown.get(i).place()] = LeaseEnd.COMPLETED;
      }
    }
  }

  private void completeRestored(
      List<LeaseResult> results, List<Integer> places, LeaseEnd[] answers) {
    List<Optional<LeasedTask>> restored =
        restore(places.stream().map(place -> results.get(place).proof()).toList());
    List<Integer> held = new ArrayList<>();
    List<Verdict> verdicts = new ArrayList<>();
    for (int i = 0; i < restored.size(); i++) {
      int place = places.get(i);
      restored
          .get(i)
          .ifPresent(
              task -> {
                held.add(place);
                verdicts.add(new Verdict.Complete(task, results.get(place).result()));
              });
    }
    List<LeaseEnd> ends = settle(verdicts);
    for (int i = 0; i < ends.size(); i++) {
      answers[held.get(i)] = ends.get(i);
    }
  }

  /** It failed: tried again when the retry policy says, or archived if no retries are left. */
  public LeaseEnd retry(LeasedTask task, String error) {
    return settle(new Verdict.Retry(task, error, null));
  }

  /** It failed: tried again after this delay, or archived if no retries are left. */
  public LeaseEnd retry(LeasedTask task, String error, Duration delay) {
    return settle(new Verdict.Retry(task, error, delay));
  }

  /** It failed for good. */
  public LeaseEnd archive(LeasedTask task, String error) {
    return settle(new Verdict.Archive(task, error));
  }

  /** It is to run again later, which costs no retry. */
  public LeaseEnd snooze(LeasedTask task, Duration delay) {
    return settle(new Verdict.Snooze(task, delay));
  }

  /** Back to the head of its queue, which costs no retry. */
  public LeaseEnd release(LeasedTask task) {
    return settle(new Verdict.Release(task));
  }

  /** It is not wanted any more. */
  public LeaseEnd drop(LeasedTask task) {
    return settle(new Verdict.Drop(task));
  }

  private LeaseEnd settle(Verdict verdict) {
    return settle(List.of(verdict)).get(0);
  }

  /**
   * Settles many, of any queues. One answer for each, in order. Tasks that are released stand again
   * at the head in the order in which they are given. When Redis fails, it can be repeated: what
   * was settled before then answers that the lease is lost. When a Redis server of a cluster fails,
   * the tasks of the others have been settled. When the retry policy throws, nothing was settled.
   */
  public List<LeaseEnd> settle(List<? extends Verdict> verdicts) {
    // All before the first is written: a retry policy may throw.
    List<Settlement> settlements = verdicts.stream().map(this::settlement).toList();
    LeaseEnd[] answers = new LeaseEnd[verdicts.size()];
    eachQueue(
        byQueue(verdicts.stream().map(Verdict::task).toList()),
        (queue, places) -> {
          List<Settlement> ofQueue = places.stream().map(settlements::get).toList();
          List<SettleResult> settled =
              broker.leases().settle(queue, ofQueue, rulesOf(queue), archive);
          for (int i = 0; i < places.size(); i++) {
            answers[places.get(i)] =
                settled.get(i) == SettleResult.DONE ? end(ofQueue.get(i)) : LeaseEnd.LEASE_LOST;
          }
        });
    return Arrays.asList(answers);
  }

  private Settlement settlement(Verdict verdict) {
    Claim claim = verdict.task().claim();
    if (verdict instanceof Verdict.Complete complete) {
      return resultLimit.complete(claim, complete.result());
    } else if (verdict instanceof Verdict.Retry retry) {
      return claim.message().isExhausted()
          ? new Settlement.Archive(claim, retry.error(), NO_TRACE)
          : retried(retry);
    } else if (verdict instanceof Verdict.Archive archived) {
      return new Settlement.Archive(claim, archived.error(), NO_TRACE);
    } else if (verdict instanceof Verdict.Snooze snooze) {
      return new Settlement.Reschedule(claim, snooze.delay(), isPrecise(snooze.delay()));
    } else if (verdict instanceof Verdict.Drop) {
      return new Settlement.Drop(claim);
    }
    return new Settlement.Requeue(claim);
  }

  private Settlement retried(Verdict.Retry retry) {
    LeasedTask task = retry.task();
    Duration delay = retry.delay();
    if (delay == null) {
      delay = retryPolicy.delay(task.retried(), new WorkerFailure(retry.error()), task.task());
    }
    return new Settlement.Retry(
        task.claim(), delay, retry.error(), /* failure= */ true, isPrecise(delay), NO_TRACE);
  }

  private static LeaseEnd end(Settlement settlement) {
    if (settlement instanceof Settlement.Complete) {
      return LeaseEnd.COMPLETED;
    } else if (settlement instanceof Settlement.Retry) {
      return LeaseEnd.RETRIED;
    } else if (settlement instanceof Settlement.Archive) {
      return LeaseEnd.ARCHIVED;
    } else if (settlement instanceof Settlement.Reschedule) {
      return LeaseEnd.SNOOZED;
    }
    return settlement instanceof Settlement.Drop ? LeaseEnd.DROPPED : LeaseEnd.RELEASED;
  }

  /** Whoever asks for a part of a second wants it; a Go forwarder may be up to a second early. */
  private static boolean isPrecise(Duration delay) {
    return delay.toMillisPart() != 0;
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
    List<Optional<LeasedTask>> answers = new ArrayList<>(proofs.size());
    proofs.forEach(proof -> answers.add(Optional.empty()));
    eachQueue(shown(proofs), (queue, shown) -> restore(queue, shown, answers));
    return List.copyOf(answers);
  }

  /** Those whose token can be read. */
  private static Map<QueueName, List<Shown>> shown(List<LeaseProof> proofs) {
    Map<QueueName, List<Shown>> byQueue = new LinkedHashMap<>();
    for (int i = 0; i < proofs.size(); i++) {
      LeaseProof proof = proofs.get(i);
      int place = i;
      LeasedTask.Token.parse(proof.token())
          .ifPresent(
              token ->
                  byQueue
                      .computeIfAbsent(QueueName.of(proof.queue()), any -> new ArrayList<>())
                      .add(new Shown(place, proof.id(), token)));
    }
    return byQueue;
  }

  /** A proof whose token can be read, and where its answer goes. */
  private record Shown(int place, String id, LeasedTask.Token token) {
    LeaseOperations.LeaseRef ticket() {
      return new LeaseOperations.LeaseRef(id, token.claim());
    }
  }

  private void restore(QueueName queue, List<Shown> shown, List<Optional<LeasedTask>> answers) {
    List<Optional<LeaseOperations.Restored>> restored =
        broker.leases().restore(queue, shown.stream().map(Shown::ticket).toList());
    for (int i = 0; i < shown.size(); i++) {
      Shown one = shown.get(i);
      answers.set(
          one.place(),
          restored
              .get(i)
              .map(each -> new LeasedTask(each.claim(), deadline(each, one), each.cancelled())));
    }
  }

  /** What is shown says it only for claims whose time the store does not know. */
  private Instant deadline(LeaseOperations.Restored restored, Shown shown) {
    Claim claim = restored.claim();
    return broker
        .leases()
        .claimedAt(claim)
        .map(claim.message()::endOfAttempt)
        .orElse(shown.token().deadline());
  }

  /**
   * Keeps a result before the task has ended. False when the lease is lost. One that is larger than
   * {@code maxResult} is refused.
   */
  public boolean writeResult(LeasedTask task, Payload result) {
    Payload written = resultLimit.require(task.claim(), result);
    return broker.leases().writeResult(task.claim(), written);
  }

  /** Keeps how far a worker has come, for whoever watches. False when the lease is lost. */
  public boolean progress(LeasedTask task, int percent, String note) {
    return broker.leases().writeProgress(task.claim(), new Progress(percent, note));
  }

  /** The same for many, of any queues. One answer for each, in order. */
  public List<Boolean> progress(List<LeaseProgress> reports) {
    Boolean[] answers = new Boolean[reports.size()];
    eachQueue(
        byQueue(reports.stream().map(LeaseProgress::task).toList()),
        (queue, places) -> {
          List<LeaseOperations.Step> steps =
              places.stream()
                  .map(reports::get)
                  .map(each -> new LeaseOperations.Step(each.task().claim(), each.progress()))
                  .toList();
          List<Boolean> written = broker.leases().writeProgress(queue, steps);
          for (int i = 0; i < places.size(); i++) {
            answers[places.get(i)] = written.get(i);
          }
        });
    return List.of(answers);
  }

  private QueueRules rulesOf(QueueName queue) {
    return rules.getOrDefault(queue, QueueRules.NONE);
  }

  private static void requireLease(Duration lease) {
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw new IllegalArgumentException(
          "a lease must be between %s and %s: %s".formatted(SHORTEST_LEASE, LONGEST_LEASE, lease));
    }
  }

  /** What retry policies are given: a worker tells of its failure in words. */
  private static final class WorkerFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    WorkerFailure(String error) {
      super(error, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    }
  }

  /** Collects rules; not thread-safe. */
  public static final class Builder {
    private final Broker broker;
    private final Map<QueueName, QueueSettings> queues = new LinkedHashMap<>();
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

    /** Delay of a failed task when the worker gives none. */
    public Builder retryPolicy(RetryPolicy policy) {
      this.retryPolicy = policy;
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

    public TaskLeases build() {
      return new TaskLeases(this);
    }
  }
}
