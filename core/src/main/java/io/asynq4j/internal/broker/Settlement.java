package io.asynq4j.internal.broker;

import io.asynq4j.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended: one case for each way a task can leave a worker. */
public sealed interface Settlement {

  /** How many that leave nothing one call takes: it does the least for each. */
  int MOST_THAT_LEAVE_NOTHING = 100;

  Claim claim();

  /** Whether nothing is left of the task then, neither a record nor a lock. */
  default boolean leavesNothing() {
    return false;
  }

  /**
   * How many of a kind one call takes, so that it keeps Redis for a moment only. All of them are
   * done by it, or none.
   */
  default int mostInACall() {
    return leavesNothing() ? MOST_THAT_LEAVE_NOTHING : 50;
  }

  /** How many bytes one call carries, unless a single settlement has more. */
  long MOST_BYTES = 16 << 20;

  /** About how many bytes are sent for it. */
  default long size() {
    return leavesNothing() ? 0 : claim().message().payload().size();
  }

  /**
   * It succeeded. An absent result leaves one that was written before.
   *
   * @param note what the task says instead of its last error; null = as it is
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

  /** It is not wanted any more: gone, whatever its retention. */
  record Drop(Claim claim) implements Settlement {
    @Override
    public boolean leavesNothing() {
      return claim.message().uniqueKey().isEmpty();
    }
  }

  /**
   * It failed, and is to be tried again.
   *
   * @param failure whether it costs a retry and counts as failed
   * @param trace where it failed, to be kept with the error among the failures of the task, maybe
   *     empty; null when nothing is to be kept there
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
   * It failed for good.
   *
   * @param trace as above
   */
  record Archive(Claim claim, String error, @Nullable String trace) implements Settlement {
    public Archive(Claim claim, String error) {
      this(claim, error, null);
    }

    /** Fewer: for each that comes into the archive, another one may have to leave it. */
    @Override
    public int mostInACall() {
      return 25;
    }
  }

  /**
   * It is archived with its stored message as it is, because no other settlement can be written.
   * The reason is kept beside the message.
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

  /** It is to run again later, and has not failed. */
  record Reschedule(Claim claim, Duration delay, boolean precise) implements Settlement {}

  /** It did not get to its end: back to the head of the queue. */
  record Requeue(Claim claim) implements Settlement {}
}
