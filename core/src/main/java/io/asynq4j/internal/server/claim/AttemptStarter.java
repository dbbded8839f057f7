package io.asynq4j.internal.server.claim;

import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptExecutor;
import io.asynq4j.internal.server.attempt.AttemptHost;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.text.LogText;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts attempts of claimed tasks. A claim stays here until a worker has its attempt, whatever
 * error occurs. Used by the thread of the claim loop.
 */
final class AttemptStarter {

  private static final Logger log = LoggerFactory.getLogger(AttemptStarter.class);

  private final AttemptHost host;
  private final AttemptExecutor workers;
  private final SettlementBuffer settler;
  private final AttemptRegistry attempts;
  private final Deque<Claim> unstarted;
  private long attemptNumber;
  private boolean rejected;

  AttemptStarter(
      AttemptHost host,
      AttemptExecutor workers,
      SettlementBuffer settler,
      AttemptRegistry attempts,
      int mostPerClaim) {
    this.host = host;
    this.workers = workers;
    this.settler = settler;
    this.attempts = attempts;
    // Must not grow: claims would be lost for lack of memory.
    this.unstarted = new ArrayDeque<>(mostPerClaim + 1);
  }

  void add(List<Claim> claims) {
    unstarted.addAll(claims);
  }

  void startAll() {
    for (Claim claim = unstarted.peek(); claim != null; claim = unstarted.peek()) {
      start(claim);
      unstarted.remove();
    }
  }

  private void start(Claim claim) {
    Attempt attempt;
    try {
      attempt = new Attempt(++attemptNumber, claim, host);
    } catch (RuntimeException e) {
      // A message that can be decoded but is invalid, such as one without a type.
      log.error(
          "task {} of queue {} is invalid and is archived",
          LogText.name(claim.id()),
          claim.queue(),
          e);
      settler.addUnattempted(OutcomePolicy.unattemptable(claim, e));
      return;
    }
    attempts.add(attempt);
    if (!workers.start(attempt)) {
      rejected = true;
      attempt.requeue();
    }
  }

  /** Returns whether the executor has rejected an attempt since the last call. */
  boolean hasBeenRejected() {
    boolean was = rejected;
    rejected = false;
    return was;
  }

  /** Requeues claims that were not started. */
  void requeueAll() {
    for (Claim claim = unstarted.peek(); claim != null; claim = unstarted.peek()) {
      settler.addUnattempted(OutcomePolicy.requeued(claim));
      unstarted.remove();
    }
  }
}
