package io.asynq4j.lease;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.LeaseOperations.Restored;
import io.asynq4j.internal.time.ElapsedBounds;
import io.asynq4j.lease.LeasedTask.LeaseProgress;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.lease.TaskLeases.AttemptTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Extends leases, restores them by proof, and reports progress on them. Thread-safe. */
final class LeaseKeeper {

  private final Broker broker;
  private final QueueFanOut fanOut;

  LeaseKeeper(Broker broker, QueueFanOut fanOut) {
    this.broker = broker;
    this.fanOut = fanOut;
  }

  List<Optional<Instant>> extend(List<LeasedTask> tasks, Duration lease) {
    List<Optional<Instant>> answers = new ArrayList<>(tasks.size());
    tasks.forEach(task -> answers.add(Optional.empty()));
    fanOut.forEach(
        QueueFanOut.positions(tasks),
        (queue, positions) -> {
          List<Claim> claims = positions.stream().map(i -> tasks.get(i).claim()).toList();
          List<@Nullable Instant> ends = broker.leases().extend(queue, claims, lease);
          for (int i = 0; i < positions.size(); i++) {
            answers.set(positions.get(i), Optional.ofNullable(ends.get(i)));
          }
        });
    return List.copyOf(answers);
  }

  AttemptTime attemptTime(LeasedTask task) {
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

  List<Optional<LeasedTask>> restore(List<LeaseProof> proofs) {
    List<Optional<LeasedTask>> answers = new ArrayList<>(proofs.size());
    proofs.forEach(proof -> answers.add(Optional.empty()));
    fanOut.forEach(ParsedProof.byQueue(proofs), (queue, parsed) -> restore(queue, parsed, answers));
    return List.copyOf(answers);
  }

  private void restore(
      QueueName queue, List<ParsedProof> proofs, List<Optional<LeasedTask>> answers) {
    List<Optional<Restored>> restored =
        broker.leases().restore(queue, proofs.stream().map(ParsedProof::ref).toList());
    for (int i = 0; i < proofs.size(); i++) {
      ParsedProof proof = proofs.get(i);
      answers.set(
          proof.position(),
          restored
              .get(i)
              .map(each -> new LeasedTask(each.claim(), deadline(each, proof), each.cancelled())));
    }
  }

  /** The deadline of the proof is used only for claims whose time the store does not know. */
  private Instant deadline(Restored restored, ParsedProof proof) {
    Claim claim = restored.claim();
    return broker
        .leases()
        .claimedAt(claim)
        .map(claim.message()::endOfAttempt)
        .orElse(proof.token().deadline());
  }

  List<Boolean> progress(List<LeaseProgress> reports) {
    Boolean[] answers = new Boolean[reports.size()];
    fanOut.forEach(
        QueueFanOut.positions(reports.stream().map(LeaseProgress::task).toList()),
        (queue, positions) -> {
          List<LeaseOperations.Step> steps =
              positions.stream()
                  .map(reports::get)
                  .map(each -> new LeaseOperations.Step(each.task().claim(), each.progress()))
                  .toList();
          List<Boolean> written = broker.leases().writeProgress(queue, steps);
          for (int i = 0; i < positions.size(); i++) {
            answers[positions.get(i)] = written.get(i);
          }
        });
    return List.of(answers);
  }
}
