package io.asynq4j.internal.broker;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Claims tasks, extends leases and settles attempts. Thread-safe. */
public interface LeaseOperations {

  /** Claims up to {@code max} tasks from the head of a queue. */
  ClaimBatch claim(QueueName queue, int max, Duration lease, QueueRules rules);

  /** Extends leases. Returns the new end of each; null if the lease is lost. */
  List<@Nullable Instant> extend(QueueName queue, List<Claim> claims, Duration lease);

  /** Settles attempts on tasks of one queue. Returns one result for each, in order. */
  List<SettleResult> settle(
      QueueName queue,
      List<? extends Settlement> settlements,
      QueueRules rules,
      ArchiveRules archive);

  /**
   * Settles successful attempts on tasks of one queue that need neither a retained record nor a
   * lock. Returns one result for each, in order.
   */
  List<SettleResult> finish(QueueName queue, List<LeaseRef> leases);

  /** Stores a result before the attempt has ended. Returns false if the lease is lost. */
  default boolean writeResult(Claim claim, Payload result) {
    return write(claim.queue(), List.of(new Result(claim, result))).get(0);
  }

  /** Stores the progress of an attempt for observers. Returns false if the lease is lost. */
  default boolean writeProgress(Claim claim, Progress progress) {
    return write(claim.queue(), List.of(new Step(claim, progress))).get(0);
  }

  /**
   * Stores what attempts on tasks of one queue report. Returns one answer for each, in order: false
   * if the lease is lost.
   */
  List<Boolean> write(QueueName queue, List<? extends Report> reports);

  /** What an attempt reports before it has ended. */
  sealed interface Report {
    Claim claim();
  }

  /** A result of an attempt that has not ended. */
  record Result(Claim claim, Payload payload) implements Report {}

  /** The progress of an attempt. */
  record Step(Claim claim, Progress progress) implements Report {}

  /**
   * Returns the claims that the tokens prove while they own the leases; empty afterwards. Returns
   * one answer for each, in order.
   */
  List<Optional<Restored>> restore(QueueName queue, List<LeaseRef> leases);

  /** The proof of a claim. */
  record LeaseRef(String id, String token) {}

  /**
   * Returns when a claim was made, from stored data that its holder cannot change. Empty if an
   * older version made the claim.
   */
  Optional<Instant> claimedAt(Claim claim);

  /**
   * A claim that continues in another process.
   *
   * @param cancelled what to do with the task after it has stopped; null = not cancelled
   */
  record Restored(Claim claim, @Nullable AfterCancel cancelled) {}
}
