package io.asynq4j.lease;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.OutcomePolicy;
import io.asynq4j.lease.LeasedTask.LeaseOutcome;
import io.asynq4j.lease.LeasedTask.LeaseResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Settles leased tasks, and writes their results. Thread-safe. */
final class LeaseSettler {

  private final LeaseOperations source;
  private final QueueFanOut fanOut;
  private final LeaseKeeper keeper;
  private final LeaseRules rules;
  private final OutcomePolicy policy;

  LeaseSettler(
      LeaseOperations source,
      QueueFanOut fanOut,
      LeaseKeeper keeper,
      LeaseRules rules,
      OutcomePolicy policy) {
    this.source = source;
    this.fanOut = fanOut;
    this.keeper = keeper;
    this.rules = rules;
    this.policy = policy;
  }

  List<Optional<Outcome>> settle(List<LeaseOutcome> outcomes) {
    // All before the first is written: a retry policy may throw.
    List<AppliedOutcome> applied =
        outcomes.stream().map(each -> policy.apply(each.task().claim(), each.outcome())).toList();
    List<Optional<Outcome>> answers = lost(outcomes.size());
    fanOut.forEach(
        QueueFanOut.positions(outcomes.stream().map(LeaseOutcome::task).toList()),
        (queue, positions) -> {
          List<Settlement> settlements =
              positions.stream().map(i -> applied.get(i).settlement()).toList();
          List<SettleResult> settled =
              source.settle(queue, settlements, rules.of(queue), rules.archive());
          for (int i = 0; i < positions.size(); i++) {
            if (settled.get(i) == SettleResult.APPLIED) {
              int position = positions.get(i);
              answers.set(position, Optional.of(applied.get(position).outcome()));
            }
          }
        });
    return List.copyOf(answers);
  }

  private static List<Optional<Outcome>> lost(int count) {
    List<Optional<Outcome>> answers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      answers.add(Optional.empty());
    }
    return answers;
  }

  List<Optional<Outcome>> complete(List<LeaseResult> results) {
    List<Optional<Outcome>> answers = lost(results.size());
    fanOut.forEach(
        ParsedProof.byQueue(results.stream().map(LeaseResult::proof).toList()),
        (queue, proofs) -> complete(queue, proofs, results, answers));
    return List.copyOf(answers);
  }

  private void complete(
      QueueName queue,
      List<ParsedProof> proofs,
      List<LeaseResult> results,
      List<Optional<Outcome>> answers) {
    List<ParsedProof> leavingNothing = new ArrayList<>();
    List<Integer> others = new ArrayList<>();
    for (ParsedProof proof : proofs) {
      if (proof.token().leavesNothing()) {
        leavingNothing.add(proof);
      } else {
        others.add(proof.position());
      }
    }
    if (!leavingNothing.isEmpty()) {
      finish(queue, leavingNothing, answers);
    }
    if (!others.isEmpty()) {
      completeRestored(results, others, answers);
    }
  }

  private void finish(QueueName queue, List<ParsedProof> proofs, List<Optional<Outcome>> answers) {
    List<SettleResult> settled =
        source.finish(queue, proofs.stream().map(ParsedProof::ref).toList());
    for (int i = 0; i < settled.size(); i++) {
      if (settled.get(i) == SettleResult.APPLIED) {
        answers.set(proofs.get(i).position(), Optional.of(Outcome.done()));
      }
    }
  }

  private void completeRestored(
      List<LeaseResult> results, List<Integer> positions, List<Optional<Outcome>> answers) {
    List<Optional<LeasedTask>> restored =
        keeper.restore(positions.stream().map(i -> results.get(i).proof()).toList());
    List<Integer> held = new ArrayList<>();
    List<LeaseOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < restored.size(); i++) {
      int position = positions.get(i);
      restored
          .get(i)
          .ifPresent(
              task -> {
                held.add(position);
                outcomes.add(new LeaseOutcome(task, Outcome.done(results.get(position).result())));
              });
    }
    List<Optional<Outcome>> settled = settle(outcomes);
    for (int i = 0; i < settled.size(); i++) {
      answers.set(held.get(i), settled.get(i));
    }
  }

  boolean writeResult(LeasedTask task, Payload result) {
    Payload written = policy.intermediateResult(task.claim(), result);
    return source.writeResult(task.claim(), written);
  }
}
