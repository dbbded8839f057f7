package io.asynq4j.lease;

import io.asynq4j.BrokerException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.lease.TaskLeases.LeaseBatch;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims tasks for {@link TaskLeases}. Thread-safe. */
record LeaseClaimer(Broker broker, LeaseRules rules) {

  private static final Logger log = LoggerFactory.getLogger(LeaseClaimer.class);

  /** A lease is in whole seconds, and our clock is not exactly that of Redis. */
  private static final Duration TOLERANCE = Duration.ofSeconds(3);

  LeaseBatch claim(QueueName queue, int max, Duration lease) {
    List<LeasedTask> claimed = new ArrayList<>();
    Instant heldUntil = null;
    do {
      ClaimBatch batch;
      try {
        batch = broker.leases().claim(queue, max - claimed.size(), lease, rules.of(queue));
      } catch (BrokerException e) {
        if (claimed.isEmpty()) {
          throw e;
        }
        log.warn("{} tasks of queue {} were claimed, then Redis failed", claimed.size(), queue, e);
        break;
      }
      Instant now = broker.clock().instant().truncatedTo(ChronoUnit.MILLIS);
      claimed.addAll(leased(queue, inFull(queue, batch.claims(), lease, now), now));
      if (batch.rest() != ClaimBatch.QueueCondition.MORE) {
        heldUntil = batch.heldUntil();
        break;
      }
    } while (claimed.size() < max);
    return new LeaseBatch(claimed, heldUntil);
  }

  /**
   * With the deadlines that hold when they are restored too. Tasks that were claimed so long ago
   * that no time is left, because the answer got lost, are requeued.
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
        leased.add(new LeasedTask(claim, deadline, /* cancelled= */ null));
      }
    }
    if (!late.isEmpty()) {
      requeue(queue, late);
    }
    return leased;
  }

  private void requeue(QueueName queue, List<Settlement> late) {
    try {
      broker.leases().settle(queue, late, rules.of(queue), rules.archive());
    } catch (BrokerException e) {
      log.warn(
          "{} tasks of queue {} could not be requeued; the recoverer requeues them when their leases expire",
          late.size(),
          queue,
          e);
    }
  }

  /**
   * A claim whose answer got lost is returned to the next caller. Its lease has run for a while,
   * and no lease is extended by itself here, so it is made as long as the caller asked for.
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
          "the leases on {} tasks of queue {} could not be extended; they expire earlier than requested",
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
}
