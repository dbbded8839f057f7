package io.asynq4j.internal.server.claim;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.ClaimBatch.QueueCondition;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims from queues on several servers of Redis so that none of them keeps the others waiting: a
 * server has a short time for its answer, and what it answers later is fetched later. Of one
 * thread, but for calls that end.
 */
final class ShardClaimer {

  private static final Logger log = LoggerFactory.getLogger(ShardClaimer.class);

  /** What other queues can be kept waiting by the first call that a server answers late. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * A queue that may be asked again.
   *
   * @param batch what was claimed; null when nothing was asked, or that failed
   * @param error why it failed
   */
  record Answer(
      String shard, QueueClaimState queue, @Nullable ClaimBatch batch, @Nullable Throwable error) {

    Answer with(ClaimBatch other) {
      return new Answer(shard, queue, other, null);
    }
  }

  /** One server: the call it has not answered, and the queues that wait for that. */
  private static final class Lane {
    final Set<QueueClaimState> stalled = new LinkedHashSet<>();
    @Nullable Call unanswered;

    /** Whether the last answer was late, or a failure: then nobody waits for the next. */
    boolean silent;

    long restNanos = FIRST_REST_NANOS;
    long restsUntil = System.nanoTime();

    boolean rests(long now) {
      return restsUntil - now > 0;
    }
  }

  /**
   * A claim under way. Until somebody has collected its answer it stays where it is: an error on
   * the thread that made it loses nothing.
   */
  private final class Call extends FutureTask<ClaimBatch> {
    final String shard;
    final QueueClaimState queue;
    private final AtomicBoolean collected = new AtomicBoolean();
    private final long patience = patienceNanos.getAsLong();
    private final long started = System.nanoTime();
    private volatile long answered;
    private volatile boolean late;

    Call(String shard, QueueClaimState queue, int wanted, Duration lease) {
      super(() -> source.claim(queue.name(), wanted, lease, queue.rules()));
      this.shard = shard;
      this.queue = queue;
    }

    /** Whoever gets true, and nobody else, has to see to the answer. */
    boolean collect() {
      return isDone() && collected.compareAndSet(false, true);
    }

    /** Nobody waits for it any more: from now on its answer is told by the signal. */
    void isLate() {
      late = true;
      if (isDone()) {
        signal.raise();
      }
    }

    @Override
    protected void set(ClaimBatch batch) {
      answered = System.nanoTime();
      super.set(batch);
    }

    @Override
    protected void setException(Throwable error) {
      answered = System.nanoTime();
      super.setException(error);
    }

    /** Of a call that is done. */
    boolean wasInTime() {
      return answered - started < patience;
    }

    @Override
    protected void done() {
      if (!closed) {
        if (late) {
          signal.raise();
        }
      } else if (collect()) {
        requeue(answerOf(this));
      }
    }
  }

  private final ShardTopology shards;
  private final LeaseOperations source;
  private final SettlementBuffer settler;
  private final WakeupSignal signal;
  private final LongSupplier patienceNanos;
  private final Map<String, Lane> lanes = new HashMap<>();
  private volatile boolean closed;

  /**
   * @param settler gives back what nobody can begin with
   * @param signal raised when there is a late answer
   */
  ShardClaimer(
      ShardTopology shards, LeaseOperations source, SettlementBuffer settler, WakeupSignal signal) {
    this(shards, source, settler, signal, () -> PATIENCE_NANOS);
  }

  /**
   * @param patienceNanos how long a call is waited for
   */
  ShardClaimer(
      ShardTopology shards,
      LeaseOperations source,
      SettlementBuffer settler,
      WakeupSignal signal,
      LongSupplier patienceNanos) {
    this.shards = shards;
    this.source = source;
    this.settler = settler;
    this.signal = signal;
    this.patienceNanos = patienceNanos;
  }

  /**
   * Null when the server does not answer in time, or has not for an earlier call; then the queue
   * comes with {@link #nextAnswer} later.
   *
   * @throws BrokerRefusedException when Redis refuses it
   */
  @Nullable ClaimBatch claim(String shard, QueueClaimState queue, int wanted, Duration lease) {
    Lane lane = lanes.computeIfAbsent(shard, any -> new Lane());
    if (lane.unanswered != null || lane.rests(System.nanoTime())) {
      lane.stalled.add(queue);
      return null;
    }
    settler.requireThreads(shard);
    Call call = new Call(shard, queue, wanted, lease);
    shards.threads().execute(call);
    lane.unanswered = call;
    if (lane.silent || !isAnswered(call)) {
      lane.silent = true;
      call.isLate();
      return null;
    }
    // After an error, such as a lack of memory, the answer comes with nextAnswer.
    Answer answer = answerOf(call);
    boolean failed = answer.batch() == null && !(answer.error() instanceof BrokerRefusedException);
    if (failed) {
      lane.stalled.add(queue);
    }
    note(lane, call, answer);
    lane.unanswered = null;
    if (!call.collect()) {
      return null;
    }
    if (answer.error() instanceof BrokerRefusedException e) {
      throw e;
    }
    return answer.batch();
  }

  private static boolean isAnswered(Call call) {
    try {
      call.get(call.patience, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      // It is in the answer.
    }
    return true;
  }

  /** Of a call that is done. */
  private static Answer answerOf(Call call) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return new Answer(call.shard, call.queue, call.get(), null);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          return new Answer(call.shard, call.queue, null, e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void note(Lane lane, Call call, Answer answer) {
    Throwable error = answer.error();
    if (error == null || error instanceof BrokerRefusedException) {
      lane.silent = !call.wasInTime();
      lane.restNanos = FIRST_REST_NANOS;
      shards.outages().worked(answer.shard());
      return;
    }
    lane.silent = true;
    lane.restsUntil = System.nanoTime() + lane.restNanos;
    lane.restNanos = Math.min(2 * lane.restNanos, LONGEST_REST_NANOS);
    if (!shards.outages().failed(answer.shard(), error)) {
      log.error("could not claim tasks of queue {}", answer.queue().name(), error);
    }
  }

  /** One that has come late, or a queue that may be asked again; null when there is none. */
  @Nullable Answer nextAnswer() {
    long now = System.nanoTime();
    for (Map.Entry<String, Lane> entry : lanes.entrySet()) {
      Lane lane = entry.getValue();
      Call call = lane.unanswered;
      if (call != null && call.isDone()) {
        // After an error in one of these steps, such as a lack of memory, all are taken again.
        Answer answer = answerOf(call);
        boolean isToBeAskedAgain =
            answer.batch() == null && !(answer.error() instanceof BrokerRefusedException);
        if (isToBeAskedAgain) {
          lane.stalled.add(answer.queue());
        }
        note(lane, call, answer);
        lane.unanswered = null;
        if (!isToBeAskedAgain && call.collect()) {
          return answer;
        }
      }
      if (lane.unanswered == null && !lane.rests(now) && !lane.stalled.isEmpty()) {
        QueueClaimState queue = lane.stalled.iterator().next();
        Answer answer = new Answer(entry.getKey(), queue, null, null);
        lane.stalled.remove(queue);
        return answer;
      }
    }
    return null;
  }

  /** Whether the queue will come with {@link #nextAnswer}. */
  boolean knows(QueueClaimState queue) {
    for (Lane lane : lanes.values()) {
      if ((lane.unanswered != null && lane.unanswered.queue == queue)
          || lane.stalled.contains(queue)) {
        return true;
      }
    }
    return false;
  }

  /** After so long some queue may be asked again. */
  long restNanos() {
    long now = System.nanoTime();
    long wait = Long.MAX_VALUE;
    for (Lane lane : lanes.values()) {
      if (lane.unanswered == null && !lane.stalled.isEmpty()) {
        wait = Math.min(wait, Math.max(lane.restsUntil - now, 1));
      }
    }
    return wait;
  }

  /**
   * Gives back all but so many: what was asked for a while ago may be too much now. When this
   * throws, nothing has happened.
   */
  void giveBack(ClaimBatch batch, int most) {
    List<Claim> tooMany = batch.claims().subList(most, batch.claims().size());
    settler.requeueUnattempted(tooMany.get(0).queue(), tooMany);
  }

  /** What is left when others are given back. */
  static ClaimBatch first(int count, ClaimBatch batch) {
    return new ClaimBatch(
        batch.claims().subList(0, count), QueueCondition.MORE, null, batch.unreadable());
  }

  private void requeue(Answer answer) {
    ClaimBatch batch = answer.batch();
    if (batch == null || batch.claims().isEmpty()) {
      return;
    }
    try {
      settler.requeueUnattempted(answer.queue().name(), batch.claims());
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, "could not give tasks back; they wait until their leases end", e);
    }
  }

  /** Claims nothing more; what is granted from now on goes back. */
  void close() {
    closed = true;
    for (Lane lane : lanes.values()) {
      Call call = lane.unanswered;
      if (call != null && call.collect()) {
        requeue(answerOf(call));
      }
    }
  }
}
