package io.asynq4j.internal.broker;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claimed tasks, and why the queue returned no more. Tasks whose message cannot be decoded have
 * been archived.
 *
 * @param heldUntil when the next task may be claimed; only with {@link QueueCondition#HELD}
 */
public record ClaimBatch(List<Claim> claims, QueueCondition rest, @Nullable Instant heldUntil) {

  /** The condition of the queue after the claim. */
  public enum QueueCondition {
    /** As many tasks as requested; there may be more. */
    MORE,
    EMPTY,
    PAUSED,
    /** The limit of active tasks is reached. */
    FULL,
    /** The head of the ordered queue failed, or a rate limit applies: no task may start yet. */
    HELD
  }

  public ClaimBatch {
    claims = List.copyOf(claims);
  }
}
