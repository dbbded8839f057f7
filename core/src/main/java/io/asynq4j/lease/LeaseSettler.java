package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.LeaseOperations.Restored;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.lease.LeasedTask.ParsedProof;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Restores and settles leases on tasks of one queue. Thread-safe. */
record LeaseSettler(LeaseOperations leases, LeaseRules rules, OutcomePolicy policy) {

  List<Optional<LeasedTask>> restore(QueueName queue, List<ParsedProof> proofs) {
    List<Optional<Restored>> restored =
        leases.restore(queue, proofs.stream().map(ParsedProof::lease).toList());
    return IntStream.range(0, proofs.size())
        .mapToObj(i -> restored.get(i).map(each -> leased(each, proofs.get(i))))
        .toList();
  }

  /** The deadline of the proof is used only for claims whose time the store does not know. */
  private LeasedTask leased(Restored restored, ParsedProof proof) {
    Claim claim = restored.claim();
    Instant deadline =
        leases.claimedAt(claim).map(claim.message()::endOfAttempt).orElse(proof.deadline());
    return new LeasedTask(claim, deadline, restored.cancelled());
  }

  List<Optional<Outcome>> settle(QueueName queue, List<AppliedOutcome> outcomes) {
    List<SettleResult> settled =
        leases.settle(
            queue,
            outcomes.stream().map(AppliedOutcome::settlement).toList(),
            rules.of(queue),
            rules.archive());
    return IntStream.range(0, outcomes.size())
        .mapToObj(i -> ifApplied(settled.get(i), outcomes.get(i).outcome()))
        .toList();
  }

  private static Optional<Outcome> ifApplied(SettleResult result, Outcome outcome) {
    return result == SettleResult.APPLIED ? Optional.of(outcome) : Optional.empty();
  }

  List<Optional<Outcome>> complete(QueueName queue, List<ParsedProof> proofs) {
    Iterator<Optional<Outcome>> finished =
        finish(queue, proofs.stream().filter(ParsedProof::leavesNothing).toList()).iterator();
    Iterator<Optional<Outcome>> settled =
        completeRestored(queue, proofs.stream().filter(proof -> !proof.leavesNothing()).toList())
            .iterator();
    return proofs.stream()
        .map(proof -> proof.leavesNothing() ? finished.next() : settled.next())
        .toList();
  }

  private List<Optional<Outcome>> finish(QueueName queue, List<ParsedProof> proofs) {
    return leases.finish(queue, proofs.stream().map(ParsedProof::lease).toList()).stream()
        .map(result -> ifApplied(result, Outcome.done()))
        .toList();
  }

  private List<Optional<Outcome>> completeRestored(QueueName queue, List<ParsedProof> proofs) {
    List<Optional<LeasedTask>> restored = restore(queue, proofs);
    List<Optional<AppliedOutcome>> applied =
        IntStream.range(0, proofs.size())
            .mapToObj(i -> restored.get(i).map(task -> completed(task, proofs.get(i))))
            .toList();
    return QueueFanOut.callForPresent(applied, held -> settle(queue, held));
  }

  private AppliedOutcome completed(LeasedTask task, ParsedProof proof) {
    return policy.apply(task.claim(), Outcome.done(proof.result()), null);
  }
}
