package io.asynq4j.internal.server.claim;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims from queues on several Redis servers so that none delays the others: a server has a short
 * time to answer, and late answers are collected later. Used by one thread, except for completing
 * calls.
 */
final class ShardClaimer {

  private static final Logger log = LoggerFactory.getLogger(ShardClaimer.class);

  private static final String NOT_REQUEUED =
      SafeLog.text(
          "could not requeue claimed tasks; the recoverer requeues them when their leases expire");

  /** How long the first late call to a server may delay other queues. */
  static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * A queue that may be claimed from again.
   *
   * @param batch what was claimed; null if no call was made or it failed
   * @param error why it failed
   */
  record Answer(QueueClaimState queue, @Nullable ClaimBatch batch, @Nullable Throwable error) {}

  /** One server: its unanswered call, and the queues that wait for it. */
  private static final class Lane {
    final Set<QueueClaimState> stalled = new LinkedHashSet<>();
    @Nullable Call unanswered;

    /** Whether the last answer was late or a failure: then the next call is not waited for. */
    boolean silent;

    long restNanos = FIRST_REST_NANOS;
    long restsUntil = System.nanoTime();

    boolean rests(long now) {
      return restsUntil - now > 0;
    }
  }

  /**
   * A claim in flight. It stays registered until its answer is collected, so an error on the
   * calling thread loses nothing.
   */
  private final class Call implements Runnable {
    final String shard;
    final QueueClaimState queue;
    private final int wanted;
    private final Duration lease;
    private final long patience = patienceNanos.getAsLong();
    private final long started = System.nanoTime();
    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicBoolean collected = new AtomicBoolean();
    private @Nullable ClaimBatch batch;
    private @Nullable Throwable error;
    private boolean inTime;
    private volatile boolean late;

    Call(String shard, QueueClaimState queue, int wanted, Duration lease) {
      this.shard = shard;
      this.queue = queue;
      this.wanted = wanted;
      this.lease = lease;
    }

    @Override
    public void run() {
      try {
        batch = source.claim(queue.name(), wanted, lease, queue.rules());
      } catch (Throwable e) {
        error = e;
      }
      inTime = System.nanoTime() - started < patience;
      // Publishes the fields above.
      done.countDown();
      if (closed && collect()) {
        requeue(batch);
      } else if (late) {
        signal.raise();
      }
    }

    boolean isDone() {
      return done.getCount() == 0;
    }

    /** Waits for the answer. Returns false if it is late. */
    boolean awaitAnswer() {
      try {
        return done.await(patience, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /** Returns true to exactly one caller, which has to handle the answer. */
    boolean collect() {
      return isDone() && collected.compareAndSet(false, true);
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
   * @param settler requeues tasks that cannot be started
   * @param signal raised for a late answer
   * @param patienceNanos how long to wait for a call
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
   * Claims from a queue. Returns null if the server does not respond in time, or has not answered
   * an earlier call; then {@link #nextAnswer} returns the queue later.
   *
   * @throws BrokerRefusedException if Redis refuses the claim
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
    if (lane.silent || !call.awaitAnswer()) {
      lane.silent = true;
      // From now on the signal announces the answer.
      call.late = true;
      if (call.isDone()) {
        signal.raise();
      }
      return null;
    }
    Answer answer = collect(lane, call);
    if (answer != null && answer.error() instanceof BrokerRefusedException e) {
      throw e;
    }
    return answer == null ? null : answer.batch();
  }

  /**
   * Takes the answer of a completed call. Returns null if the call failed, so that its queue
   * stalls, or if another thread has taken the answer. After an error in one of the steps, such as
   * a lack of memory, all are repeated by {@link #nextAnswer}.
   */
  private @Nullable Answer collect(Lane lane, Call call) {
    Throwable error = call.error;
    if (error == null || error instanceof BrokerRefusedException) {
      Answer answer = new Answer(call.queue, call.batch, error);
      lane.silent = !call.inTime;
      lane.restNanos = FIRST_REST_NANOS;
      shards.outages().worked(call.shard);
      lane.unanswered = null;
      return call.collect() ? answer : null;
    }
    lane.stalled.add(call.queue);
    lane.silent = true;
    lane.restsUntil = System.nanoTime() + lane.restNanos;
    lane.restNanos = Math.min(2 * lane.restNanos, LONGEST_REST_NANOS);
    if (!shards.outages().failed(call.shard, error)) {
      log.error("could not claim tasks of queue {}; retrying", call.queue.name(), error);
    }
    lane.unanswered = null;
    return null;
  }

  /** Returns a late answer, or a queue that may be claimed from again; null if there is none. */
  @Nullable Answer nextAnswer() {
    long now = System.nanoTime();
    for (Lane lane : lanes.values()) {
      Call call = lane.unanswered;
      if (call != null && call.isDone()) {
        Answer answer = collect(lane, call);
        if (answer != null) {
          return answer;
        }
      }
      if (lane.unanswered == null && !lane.rests(now) && !lane.stalled.isEmpty()) {
        QueueClaimState queue = lane.stalled.iterator().next();
        Answer answer = new Answer(queue, null, null);
        lane.stalled.remove(queue);
        return answer;
      }
    }
    return null;
  }

  /** Returns whether {@link #nextAnswer} will return the queue. */
  boolean knows(QueueClaimState queue) {
    for (Lane lane : lanes.values()) {
      if ((lane.unanswered != null && lane.unanswered.queue == queue)
          || lane.stalled.contains(queue)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the time until some queue may be claimed from again. */
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

  private void requeue(@Nullable ClaimBatch batch) {
    if (batch == null) {
      return;
    }
    try {
      settler.requeueUnattempted(batch.claims());
    } catch (RuntimeException | Error e) {
      SafeLog.error(log, NOT_REQUEUED, e);
    }
  }

  /** Stops claiming; tasks that are granted from now on are requeued. */
  void close() {
    closed = true;
    for (Lane lane : lanes.values()) {
      Call call = lane.unanswered;
      if (call != null && call.collect()) {
        requeue(call.batch);
      }
    }
  }
}
