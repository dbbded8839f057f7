package io.asynq4j.internal.broker;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.Progress;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gives tasks to workers and hears how they ended. Thread-safe. */
public interface LeaseOperations {

  /** Takes up to so many tasks from the head of a queue. */
  ClaimBatch claim(QueueName queue, int max, Duration lease, QueueRules rules);

  /** When each lease ends now; null where it is lost. */
  List<@Nullable Instant> extend(QueueName queue, List<Claim> claims, Duration lease);

  /** Ends attempts on tasks of one queue. One answer for each, in order. */
  List<SettleResult> settle(
      QueueName queue,
      List<? extends Settlement> settlements,
      QueueRules rules,
      ArchiveRules archive);

  /**
   * Ends attempts that succeeded, on tasks of one queue that leave nothing behind: neither a record
   * to be kept nor a lock. One answer for each, in order.
   */
  List<SettleResult> finish(QueueName queue, List<LeaseRef> tickets);

  /** Keeps a result before the attempt has ended. False when the lease is lost. */
  default boolean writeResult(Claim claim, Payload result) {
    return writeResults(claim.queue(), List.of(new Result(claim, result))).get(0);
  }

  /** The same for attempts on tasks of one queue. One answer for each, in order. */
  List<Boolean> writeResults(QueueName queue, List<Result> results);

  /** What an attempt has to show before it has ended. */
  record Result(Claim claim, Payload payload) {}

  /** Keeps how far an attempt has come, for whoever watches. False when the lease is lost. */
  default boolean writeProgress(Claim claim, Progress progress) {
    return writeProgress(claim.queue(), List.of(new Step(claim, progress))).get(0);
  }

  /** The same for attempts on tasks of one queue. One answer for each, in order. */
  List<Boolean> writeProgress(QueueName queue, List<Step> steps);

  /** How far an attempt has come. */
  record Step(Claim claim, Progress progress) {}

  /**
   * The claims that tokens prove, as long as the leases are theirs; empty afterwards. One answer
   * for each, in order.
   */
  List<Optional<Restored>> restore(QueueName queue, List<LeaseRef> tickets);

  /** What proves a claim. */
  record LeaseRef(String id, String token) {}

  /**
   * When a claim was made that the store knows: its holder cannot have changed it. Empty when a
   * version that did not keep it has made the claim.
   */
  Optional<Instant> claimedAt(Claim claim);

  /**
   * A claim that goes on in another process.
   *
   * @param cancelled what is to be done with the task once it has stopped; null = it may go on
   */
  record Restored(Claim claim, @Nullable AfterCancel cancelled) {}
}
