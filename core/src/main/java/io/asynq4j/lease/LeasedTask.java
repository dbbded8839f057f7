package io.asynq4j.lease;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.internal.broker.Claim;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A task that was taken together with a lease on it, as it was at that moment: what is done with
 * the lease later is not seen here. Immutable and safe to share between threads.
 */
public final class LeasedTask {

  /** Between the broker's token, which has none, and the deadline of the attempt. */
  private static final char SEPARATOR = '.';

  /** At the end of the token of a task of which nothing is left once it has succeeded. */
  private static final String LEAVES_NOTHING = SEPARATOR + "g";

  /** The token says it in milliseconds, which a deadline written by others may be beyond. */
  private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);

  private final Claim claim;
  private final Task task;
  private final Instant deadline;
  private final @Nullable AfterCancel cancelled;

  LeasedTask(Claim claim, Instant deadline) {
    this(claim, deadline, null);
  }

  LeasedTask(Claim claim, Instant deadline, @Nullable AfterCancel cancelled) {
    this.cancelled = cancelled;
    this.claim = claim;
    this.task =
        Task.of(claim.message().type(), claim.message().payload(), claim.message().headers());
    this.deadline = deadline.isAfter(LATEST) ? LATEST : deadline;
  }

  public String id() {
    return claim.id();
  }

  public QueueName queue() {
    return claim.queue();
  }

  /** Its type, payload and headers. */
  public Task task() {
    return task;
  }

  /** Retries used up before this attempt: 0 at the first. */
  public int retried() {
    return claim.message().retried();
  }

  public int maxRetry() {
    return claim.message().maxRetry();
  }

  /** Whether no retries are left: the task is archived if this attempt fails. */
  public boolean isLastAttempt() {
    return claim.message().isExhausted();
  }

  /** When the attempt must be over by the task's own timeout and deadline, in whole millis. */
  public Instant deadline() {
    return deadline;
  }

  /** When the lease ends unless it is extended; others may have the task then. */
  public Instant leasedUntil() {
    return claim.leasedUntil();
  }

  /**
   * Proves that the lease is the caller's. Opaque text; with the queue and the id it is all that is
   * needed to go on with the lease, in another process too. Whoever has it can settle the task.
   */
  public String token() {
    String token =
        claim.token() + SEPARATOR + Long.toString(deadline.toEpochMilli(), Character.MAX_RADIX);
    return claim.message().leavesNothing() ? token + LEAVES_NOTHING : token;
  }

  /**
   * Whether somebody has asked for the task to stop, as it was known when the lease was restored,
   * and what is to be done with it once it has.
   */
  public Optional<AfterCancel> cancelled() {
    return Optional.ofNullable(cancelled);
  }

  Claim claim() {
    return claim;
  }

  /**
   * What a token says.
   *
   * @param leavesNothing whoever made it up has the lease, and harms his own task alone
   */
  record Token(String claim, Instant deadline, boolean leavesNothing) {

    /** Empty when it is none of ours. */
    static Optional<Token> parse(String text) {
      int separator = text.indexOf(SEPARATOR);
      if (separator < 0) {
        return Optional.empty();
      }
      boolean leavesNothing = text.endsWith(LEAVES_NOTHING);
      int end = leavesNothing ? text.length() - LEAVES_NOTHING.length() : text.length();
      if (end <= separator) {
        return Optional.empty();
      }
      try {
        long millis = Long.parseLong(text, separator + 1, end, Character.MAX_RADIX);
        return Optional.of(
            new Token(text.substring(0, separator), Instant.ofEpochMilli(millis), leavesNothing));
      } catch (NumberFormatException e) {
        return Optional.empty();
      }
    }
  }

  /** The same lease on the same task. */
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

  /** Without the payload and the token: neither belongs in logs. */
  @Override
  public String toString() {
    return "LeasedTask[%s of queue %s, %s, until %s]"
        .formatted(id(), queue(), task.type(), leasedUntil());
  }
}
