package io.asynq4j.lease;

import io.asynq4j.Payload;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a worker has decided about a task that it has a lease on. Immutable. */
public sealed interface Verdict {

  LeasedTask task();

  /**
   * It succeeded.
   *
   * @param result kept with the task for its retention; an absent one leaves what was written
   *     before
   */
  record Complete(LeasedTask task, Payload result) implements Verdict {}

  /**
   * It failed. It is tried again as long as it has retries left, and archived otherwise.
   *
   * @param delay until then; null = as the retry policy says
   */
  record Retry(LeasedTask task, String error, @Nullable Duration delay) implements Verdict {
    public Retry {
      Objects.requireNonNull(error, "error");
      requireNotNegative(delay);
    }
  }

  /** It failed for good, whatever retries are left. */
  record Archive(LeasedTask task, String error) implements Verdict {
    public Archive {
      Objects.requireNonNull(error, "error");
    }
  }

  /** It has not failed, and is to run again later; that costs no retry. */
  record Snooze(LeasedTask task, Duration delay) implements Verdict {
    public Snooze {
      requireNotNegative(delay);
    }
  }

  /** It was not run to its end: back to the head of its queue; that costs no retry. */
  record Release(LeasedTask task) implements Verdict {}

  /** It is not wanted any more, and leaves no trace. */
  record Drop(LeasedTask task) implements Verdict {}

  private static void requireNotNegative(@Nullable Duration delay) {
    if (delay != null && delay.isNegative()) {
      throw new IllegalArgumentException("the delay must not be negative: " + delay);
    }
  }
}
