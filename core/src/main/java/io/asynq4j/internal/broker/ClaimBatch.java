package io.asynq4j.internal.broker;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that a queue gave, and why it gave no more.
 *
 * @param heldUntil when the next task may be claimed; only with {@link Rest#HELD}
 * @param unreadable ids of tasks whose message nobody can read; they have been archived
 */
public record ClaimBatch(
    List<Claim> claims, QueueCondition rest, @Nullable Instant heldUntil, List<String> unreadable) {

  /** What can be said of the queue after the claim. */
  public enum QueueCondition {
    /** As many as were asked for; there may be more. */
    MORE,
    EMPTY,
    PAUSED,
    /** As many run as may run at once. */
    FULL,
    /** The head of the ordered queue failed, or tasks begin at a rate: the time has not come. */
    HELD
  }

  public ClaimBatch {
    claims = List.copyOf(claims);
    unreadable = List.copyOf(unreadable);
  }
}
