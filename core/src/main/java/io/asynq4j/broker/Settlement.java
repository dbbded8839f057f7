package io.asynq4j.broker;

import io.asynq4j.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How an attempt ended: one case for each way a task can leave a worker. */
public sealed interface Settlement {

  /** A delay beyond this is cut to it: nobody waits longer, and numbers have an end. */
  Duration LONGEST_DELAY = Duration.ofDays(36_500);

  Claim claim();

  private static Duration cut(Duration delay) {
    return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
  }

  /** It succeeded. An absent result leaves one that was written before. */
  record Complete(Claim claim, Payload result) implements Settlement {}

  /** It is not wanted any more: gone, whatever its retention. */
  record Drop(Claim claim) implements Settlement {}

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
    public Retry {
      delay = cut(delay);
    }

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
  }

  /** It is to run again later, and has not failed. */
  record Reschedule(Claim claim, Duration delay, boolean precise) implements Settlement {
    public Reschedule {
      delay = cut(delay);
    }
  }

  /** It did not get to its end: back to the head of the queue. */
  record Requeue(Claim claim) implements Settlement {}
}
