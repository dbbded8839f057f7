package io.asynq4j.lease;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations.LeaseRef;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A claimed task and its lease at the time of the claim: later changes of the lease do not show
 * here. Immutable and thread-safe.
 */
public final class LeasedTask {

  /** Separates the claim token, which does not contain it, from the deadline of the attempt. */
  private static final char SEPARATOR = '.';

  /** Suffix of the token of a task without retention and unique lock. */
  private static final String LEAVES_NOTHING = SEPARATOR + "g";

  /** The latest deadline that a token can express; another process may have written a later one. */
  private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);

  private final Claim claim;
  private final Task task;
  private final Instant deadline;
  private final @Nullable AfterCancel cancelled;

  LeasedTask(Claim claim, Instant deadline, @Nullable AfterCancel cancelled) {
    this.cancelled = cancelled;
    this.claim = claim;
    this.task = claim.message().task();
    this.deadline = deadline.isAfter(LATEST) ? LATEST : deadline;
  }

  public String id() {
    return claim.id();
  }

  public QueueName queue() {
    return claim.queue();
  }

  /** The type, payload and headers. */
  public Task task() {
    return task;
  }

  /** The number of retries before this attempt; 0 for the first attempt. */
  public int retried() {
    return claim.message().retried();
  }

  public int maxRetry() {
    return claim.message().maxRetry();
  }

  /** Whether no retries are left, so that the task is archived if this attempt fails. */
  public boolean isLastAttempt() {
    return claim.message().isExhausted();
  }

  /** When the attempt must have ended by the timeout and deadline of the task, in milliseconds. */
  public Instant deadline() {
    return deadline;
  }

  /** When the lease expires unless it is extended; another worker may get the task then. */
  public Instant leasedUntil() {
    return claim.leasedUntil();
  }

  /**
   * The proof of the lease, as opaque text. With the queue and the ID, any process can restore the
   * lease and settle the task. Treat it as a secret.
   */
  public String token() {
    String token =
        claim.token() + SEPARATOR + Long.toString(deadline.toEpochMilli(), Character.MAX_RADIX);
    return claim.message().leavesNothing() ? token + LEAVES_NOTHING : token;
  }

  /**
   * What happens to the task after it was cancelled, as of the time at which the lease was
   * restored; empty if it is not cancelled.
   */
  public Optional<AfterCancel> cancelled() {
    return Optional.ofNullable(cancelled);
  }

  Claim claim() {
    return claim;
  }

  /**
   * A proof whose token can be read.
   *
   * @param leavesNothing if forged, it affects only the forger's own task
   * @param result to complete the task with
   */
  record ParsedProof(
      QueueName queue, LeaseRef lease, Instant deadline, boolean leavesNothing, Payload result) {

    /** Returns empty if the token cannot be read. */
    static Optional<ParsedProof> of(LeaseProof proof, Payload result) {
      String text = proof.token();
      boolean leavesNothing = text.endsWith(LEAVES_NOTHING);
      int separator = text.indexOf(SEPARATOR);
      int end = leavesNothing ? text.length() - LEAVES_NOTHING.length() : text.length();
      if (separator < 0 || end <= separator) {
        return Optional.empty();
      }
      long millis;
      try {
        millis = Long.parseLong(text, separator + 1, end, Character.MAX_RADIX);
      } catch (NumberFormatException e) {
        return Optional.empty();
      }
      return Optional.of(
          new ParsedProof(
              QueueName.of(proof.queue()),
              new LeaseRef(proof.id(), text.substring(0, separator)),
              Instant.ofEpochMilli(millis),
              leavesNothing,
              result));
    }
  }

  /** The outcome of an attempt. Immutable. */
  public record LeaseOutcome(LeasedTask task, Outcome outcome) {
    public LeaseOutcome {
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(outcome, "outcome");
    }
  }

  /** The progress of an attempt. Immutable. */
  public record LeaseProgress(LeasedTask task, Progress progress) {}

  /**
   * The data with which a worker proves its lease. Immutable.
   *
   * @param token from {@link LeasedTask#token()}
   */
  public record LeaseProof(String queue, String id, String token) {

    public LeaseProof(QueueName queue, String id, String token) {
      this(queue.value(), id, token);
    }

    /** Omits the token, which does not belong in logs. */
    @Override
    public String toString() {
      return "LeaseProof[" + id + " of queue " + queue + "]";
    }
  }

  /**
   * A task that succeeded, by the proof of its lease. Immutable.
   *
   * @param result stored for the retention of the task; if absent, an earlier result is kept
   */
  public record LeaseResult(LeaseProof proof, Payload result) {}

  /** Compares task and lease. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LeasedTask that
        && id().equals(that.id())
        && queue().equals(that.queue())
        && claim.token().equals(that.claim.token());
  }

  @Override
  public int hashCode() {
    return Objects.hash(id(), queue(), claim.token());
  }

  /** Omits payload and token, which do not belong in logs. */
  @Override
  public String toString() {
    return "LeasedTask[%s of queue %s, %s, until %s]"
        .formatted(id(), queue(), task.type(), leasedUntil());
  }
}
