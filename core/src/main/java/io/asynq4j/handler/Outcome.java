package io.asynq4j.handler;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a handler has decided about its task. Immutable. */
public sealed interface Outcome {

  /**
   * It succeeded.
   *
   * @param result kept with the task for its retention; null leaves what was written before
   */
  record Done(@Nullable Object result) implements Outcome {
    /** The kind of result only: results do not belong in logs. */
    @Override
    public String toString() {
      return result == null ? "Done[]" : "Done[" + result.getClass().getName() + "]";
    }
  }

  /**
   * It failed, and is to be tried again.
   *
   * @param delay until then; null = as the retry policy says
   */
  record Retry(String reason, @Nullable Duration delay) implements Outcome {
    public Retry {
      if (delay != null && delay.isNegative()) {
        throw new IllegalArgumentException("the delay must not be negative: " + delay);
      }
    }
  }

  /** It has not failed, and is to run again later; that costs no retry. */
  record Snooze(Duration delay) implements Outcome {
    public Snooze {
      if (delay.isNegative()) {
        throw new IllegalArgumentException("the delay must not be negative: " + delay);
      }
    }
  }

  /** It has failed for good, whatever retries are left. */
  record Archive(String reason) implements Outcome {}

  /** It is not wanted any more, and leaves no trace. */
  record Drop() implements Outcome {}

  static Outcome done() {
    return new Done(null);
  }

  /** Success with a result: a {@code Payload}, bytes, or what the codec can write. */
  static Outcome done(@Nullable Object result) {
    return new Done(result);
  }

  /** The reason may be null, as the message of an exception may. */
  static Outcome retry(@Nullable String reason) {
    return new Retry(given(reason), null);
  }

  static Outcome retry(@Nullable String reason, Duration delay) {
    return new Retry(given(reason), Objects.requireNonNull(delay, "delay"));
  }

  static Outcome snooze(Duration delay) {
    return new Snooze(delay);
  }

  static Outcome archive(@Nullable String reason) {
    return new Archive(given(reason));
  }

  private static String given(@Nullable String reason) {
    return reason == null ? "no reason given" : reason;
  }

  static Outcome drop() {
    return new Drop();
  }

  /** For code far below the handler: thrown anywhere, it decides about the task. */
  default OutcomeException asException() {
    return new OutcomeException(this);
  }
}
