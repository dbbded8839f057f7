package io.asynq4j.internal.server.claim;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerRefusedException;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.ClaimBatch.QueueCondition;
import io.asynq4j.internal.concurrent.Actor;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.AttemptExecutor;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.claim.QueueClaimState.Status;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims tasks for idle workers in batches, and shares the workers among the queues by weight. Runs
 * on one thread.
 */
public final class ClaimLoop extends Actor {

  private static final Logger log = LoggerFactory.getLogger(ClaimLoop.class);

  private static final String LOOP_FAILED = SafeLog.text("the claim loop failed and continues");

  /** While other queues have work, idle queues are watched at this interval only. */
  private static final long WATCH_NANOS = Duration.ofMillis(2).toNanos();

  /** Maximum number of tasks per claim. */
  private static final int MOST_PER_CLAIM = 100;

  /**
   * Maximum while many settlements wait: Redis is then under load, and more active tasks make each
   * settlement more expensive.
   */
  private static final int MOST_WHEN_BEHIND = 50;

  private static final int BEHIND = 200;

  /** Maximum that several queues share in one round, so that none gets far ahead of the others. */
  private static final int MOST_PER_ROUND = 200;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final ServerConfig config;
  private final AttemptHost host;
  private final ServedQueues queues;
  private final AttemptExecutor workers;
  private final SettlementBuffer settler;
  private final ShardTopology shards;
  private final ShardClaimer claims;
  private final QueueReadiness readiness;
  private final StrideScheduler ready;
  private final AttemptStarter starter;
  private final Runnable shortLease;
  private final Consumer<LinkageError> fatal;

  /** The answer of a cluster server whose handling was interrupted by an error. */
  private ShardClaimer.@Nullable Answer unhandled;

  private long lastWatch;
  private Duration pause = FIRST_PAUSE;

  /**
   * Creates a loop that claims from the queues that are ready.
   *
   * @param shortLease called after a claim whose lease ends soon
   * @param fatal called when claiming can never work because of incompatible libraries
   */
  public ClaimLoop(
      AttemptHost host,
      ServedQueues queues,
      AttemptExecutor workers,
      SettlementBuffer settler,
      AttemptRegistry attempts,
      ShardTopology shards,
      WakeupSignal signal,
      QueueReadiness readiness,
      Runnable shortLease,
      Consumer<LinkageError> fatal) {
    super("asynq-claim-loop", signal);
    this.config = host.config();
    this.host = host;
    this.queues = queues;
    this.workers = workers;
    this.settler = settler;
    this.shards = shards;
    this.claims =
        new ShardClaimer(shards, host.source(), settler, signal, () -> ShardClaimer.PATIENCE_NANOS);
    this.readiness = readiness;
    this.ready = readiness.ready();
    this.starter = new AttemptStarter(host, workers, settler, attempts, MOST_PER_CLAIM);
    this.shortLease = shortLease;
    this.fatal = fatal;
  }

  @Override
  public void run() {
    while (!isStopped()) {
      try {
        turn();
      } catch (BrokerException e) {
        readiness.checkAll();
        if (!shards.outages().failed("", e)) {
          log.error("the claim loop could not claim tasks; retrying", e);
        }
        waitAfterFailure();
      } catch (RuntimeException | Error e) {
        readiness.checkAll();
        SafeLog.error(log, LOOP_FAILED, e);
        // Only incompatible libraries: other linkage errors may pass with more memory.
        if (e instanceof IncompatibleClassChangeError incompatible) {
          fatal.accept(incompatible);
        }
        shards.outages().failed("", e);
        waitAfterFailure();
      }
    }
    claims.close();
    if (unhandled != null && unhandled.batch() != null) {
      settler.requeueUnattempted(unhandled.batch().claims());
    }
    unhandled = null;
    starter.requeueAll();
  }

  private void waitAfterFailure() {
    readiness.checkAll();
    long end = System.nanoTime() + pause.toNanos();
    while (!isStopped() && end - System.nanoTime() > 0) {
      signal.await(end - System.nanoTime());
    }
    pause = TimeMath.min(pause.multipliedBy(2), LONGEST_PAUSE);
  }

  // Correctness does not depend on the yield: without it the calls are smaller.
  @SuppressWarnings("ThreadPriorityCheck")
  private void turn() {
    starter.startAll();
    readiness.updateServedQueues();
    handleAnswers();
    readiness.update(claims::knows);
    int free = free();
    if (free > 0 && free < config.concurrency()) {
      // Handlers that are about to end may do so now: then one call claims for all of them.
      Thread.yield();
      free = free();
    }
    if (free <= 0) {
      signal.await(QueueReadiness.LONGEST_WAIT.toNanos());
      return;
    }
    long now = System.nanoTime();
    if (ready.isEmpty() || now - lastWatch >= WATCH_NANOS) {
      lastWatch = now;
      readiness.watchIdle();
    }
    if (ready.isEmpty()) {
      signal.await(Math.min(readiness.idleNanos(), claims.restNanos()));
      return;
    }
    claim(free);
    if (starter.hasBeenRejected()) {
      waitAfterFailure();
      return;
    }
    pause = FIRST_PAUSE;
  }

  private int free() {
    // Settlements that Redis does not accept must not accumulate here.
    return settler.waiting() > 2 * config.concurrency() + 1_000 ? 0 : workers.free();
  }

  /** Handles the answers in sequence: after an error, the unhandled one comes first. */
  private void handleAnswers() {
    for (ShardClaimer.Answer answer = nextAnswer(); answer != null; answer = nextAnswer()) {
      unhandled = answer;
      answered(answer);
      unhandled = null;
    }
  }

  private ShardClaimer.@Nullable Answer nextAnswer() {
    return unhandled != null ? unhandled : claims.nextAnswer();
  }

  private void claim(int free) {
    Map<QueueClaimState, Integer> shares =
        ready.share(ready.size() > 1 ? Math.min(free, MOST_PER_ROUND) : free);
    for (Map.Entry<QueueClaimState, Integer> share : shares.entrySet()) {
      int wanted = config.strictPriority() ? free() : share.getValue();
      int got = 0;
      while (got < wanted && !isStopped() && ready.contains(share.getKey())) {
        int most = settler.waiting() > BEHIND ? MOST_WHEN_BEHIND : MOST_PER_CLAIM;
        got += claimFrom(share.getKey(), Math.min(wanted - got, most));
      }
      ready.refund(share.getKey(), share.getValue() - got);
      if (config.strictPriority() && ready.contains(share.getKey())) {
        // The queue has more tasks, and also gets the workers that have become free meanwhile.
        break;
      }
    }
  }

  private int claimFrom(QueueClaimState queue, int wanted) {
    if (settler.isRefused(queue.name())) {
      // Its settlements would fill the server until no queue can be claimed from.
      readiness.hold(queue, host.clock().instant().plus(LONGEST_PAUSE));
      return 0;
    }
    String shard = shards.of(queue.name());
    ClaimBatch batch;
    try {
      if (shard.isEmpty()) {
        batch = host.source().claim(queue.name(), wanted, config.lease(), queue.rules());
      } else {
        batch = claims.claim(shard, queue, wanted, config.lease());
        if (batch == null) {
          readiness.stall(queue);
          return 0;
        }
      }
      shards.outages().worked(shard);
    } catch (BrokerRefusedException e) {
      refused(queue, e);
      return 0;
    }
    granted(queue, batch);
    return batch.claims().size();
  }

  /** This queue is broken or access is denied; the other queues are served anyway. */
  private void refused(QueueClaimState queue, BrokerRefusedException e) {
    log.error(
        "could not claim tasks of queue {}; other queues are served, and this one is retried",
        queue.name(),
        e);
    readiness.hold(queue, host.clock().instant().plus(LONGEST_PAUSE));
  }

  /** Handles an answer that arrived after the time limit of a cluster server. */
  private void answered(ShardClaimer.Answer answer) {
    QueueClaimState queue = answer.queue();
    ClaimBatch batch = answer.batch();
    boolean isServed = readiness.isServed(queue);
    int room = isServed && !isStopped() ? Math.max(0, free()) : 0;
    if (batch != null && batch.claims().size() > room) {
      List<Claim> all = batch.claims();
      batch = new ClaimBatch(all.subList(0, room), QueueCondition.MORE, null);
      ShardClaimer.Answer kept = new ShardClaimer.Answer(queue, batch, null);
      settler.requeueUnattempted(all.subList(room, all.size()));
      unhandled = kept;
    }
    if (answer.error() instanceof BrokerRefusedException e && isServed) {
      refused(queue, e);
    } else if (isServed) {
      readiness.makeReady(queue);
      if (batch != null) {
        granted(queue, batch);
      }
    }
  }

  private void granted(QueueClaimState queue, ClaimBatch batch) {
    if (!batch.claims().isEmpty() && !queues.weights().containsKey(queue.name())) {
      // The queue was removed while the call was in flight.
      settler.requeueUnattempted(batch.claims());
      unhandled = null;
      readiness.becomeIdle(queue, Status.EMPTY);
      return;
    }
    boolean placesWatched = queue.status() == Status.FULL_WATCHED;
    if (!batch.claims().isEmpty()) {
      starter.add(batch.claims());
      unhandled = null;
      extendSoonIfShort(batch.claims().get(0));
      queue.gotSomething();
      config.listeners().publish(listener -> listener.claimed(queue.name(), batch.claims().size()));
      starter.startAll();
    }
    switch (batch.rest()) {
      case MORE -> queue.become(Status.READY);
      case EMPTY -> readiness.becomeIdle(queue, Status.EMPTY);
      case PAUSED -> readiness.becomeIdle(queue, Status.PAUSED);
      case FULL -> readiness.becomeFull(queue, placesWatched && batch.claims().isEmpty());
      case HELD -> readiness.becomeHeld(queue, batch.heldUntil());
    }
  }

  /**
   * A claim whose reply had been lost was granted a while ago: its lease may end before the next
   * heartbeats.
   */
  private void extendSoonIfShort(Claim claim) {
    Duration enough = config.heartbeat().multipliedBy(2);
    Duration usual = config.lease().minus(config.heartbeat());
    Instant now = host.clock().instant();
    if (claim.leasedUntil().isBefore(now.plus(TimeMath.min(enough, usual)))) {
      shortLease.run();
    }
  }
}
