package io.asynq4j.internal.broker;

import io.asynq4j.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the broker does with a claimed task: one case for each way it can leave a worker. */
public sealed interface Settlement {

  /** Maximum per call of settlements that leave nothing, which cost the least. */
  int MOST_THAT_LEAVE_NOTHING = 100;

  Claim claim();

  /** Returns whether the task is deleted completely: no record, no lock. */
  default boolean leavesNothing() {
    return false;
  }

  /**
   * Returns the maximum number of settlements of this kind per call, so that a call does not block
   * Redis for long. A call applies all of them or none.
   */
  default int mostInACall() {
    return leavesNothing() ? MOST_THAT_LEAVE_NOTHING : 50;
  }

  /** Maximum number of bytes per call, unless a single settlement is larger. */
  long MOST_BYTES = 16 << 20;

  /** Returns the approximate number of bytes to send. */
  default long size() {
    return leavesNothing() ? 0 : claim().message().payload().size();
  }

  /**
   * The attempt succeeded. An absent result keeps one that was written before.
   *
   * @param note replaces the last error of the task; null = unchanged
   */
  record Complete(Claim claim, Payload result, @Nullable String note) implements Settlement {
    public Complete(Claim claim, Payload result) {
      this(claim, result, null);
    }

    @Override
    public long size() {
      return leavesNothing() ? 0 : claim.message().payload().size() + (long) result.size();
    }

    @Override
    public boolean leavesNothing() {
      return claim.message().leavesNothing();
    }
  }

  /** Deletes the task, whatever its retention. */
  record Drop(Claim claim) implements Settlement {
    @Override
    public boolean leavesNothing() {
      return claim.message().uniqueKey().isEmpty();
    }
  }

  /**
   * The attempt failed, and the task runs again.
   *
   * @param failure whether it costs a retry and counts as failed
   * @param trace stack trace to store with the error among the failures of the task, may be empty;
   *     null = the failure is not stored there
   */
  record Retry(
      Claim claim,
      Duration delay,
      String error,
      boolean failure,
      boolean precise,
      @Nullable String trace)
      implements Settlement {
    public Retry(Claim claim, Duration delay, String error, boolean failure, boolean precise) {
      this(claim, delay, error, failure, precise, null);
    }
  }

  /**
   * The task failed permanently.
   *
   * @param trace as in {@link Retry}
   */
  record Archive(Claim claim, String error, @Nullable String trace) implements Settlement {
    public Archive(Claim claim, String error) {
      this(claim, error, null);
    }

    /** Fewer, since each archived task may require the deletion of another one. */
    @Override
    public int mostInACall() {
      return 25;
    }
  }

  /**
   * Archives the task with its stored message unchanged, because no other settlement can be
   * written. The reason is stored beside the message.
   */
  record Quarantine(Claim claim, String reason) implements Settlement {
    @Override
    public int mostInACall() {
      return 25;
    }

    @Override
    public long size() {
      return 0;
    }
  }

  /** The task runs again later, and has not failed. */
  record Reschedule(Claim claim, Duration delay, boolean precise) implements Settlement {}

  /** The attempt did not end: the task returns to the head of the queue. */
  record Requeue(Claim claim) implements Settlement {}
}
