package io.asynq4j.handler;

import io.asynq4j.AfterCancel;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt at a task ends. Handlers return one, workers settle their leases with one, and
 * listeners are given the one that was applied. Immutable.
 */
public sealed interface Outcome {

  /** The cases of {@link Outcome}, for {@code switch}. */
  enum Kind {
    DONE,
    RETRY,
    SNOOZE,
    ARCHIVE,
    DROP,
    REQUEUE
  }

  Kind kind();

  /**
   * The attempt succeeded.
   *
   * @param result kept with the task for its retention; null keeps a result that was written before
   */
  record Done(@Nullable Object result) implements Outcome {
    @Override
    public Kind kind() {
      return Kind.DONE;
    }

    /** The type of the result only: results do not belong in logs. */
    @Override
    public String toString() {
      return result == null ? "Done[]" : "Done[" + result.getClass().getName() + "]";
    }
  }

  /**
   * The attempt failed, and the task is tried again. A task without retries left is archived
   * instead.
   *
   * @param delay until the next attempt; null = as the retry policy decides
   */
  record Retry(String reason, @Nullable Duration delay) implements Outcome {
    public Retry {
      Objects.requireNonNull(reason, "reason");
      if (delay != null) {
        requireNotNegative(delay);
      }
    }

    @Override
    public Kind kind() {
      return Kind.RETRY;
    }
  }

  /** The attempt has not failed, and the task runs again later. Costs no retry. */
  record Snooze(Duration delay) implements Outcome {
    public Snooze {
      requireNotNegative(delay);
    }

    @Override
    public Kind kind() {
      return Kind.SNOOZE;
    }
  }

  /** The attempt failed, and the task is not tried again, even with retries left. */
  record Archive(String reason) implements Outcome {
    public Archive {
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public Kind kind() {
      return Kind.ARCHIVE;
    }
  }

  /** The task is deleted, whatever its retention. */
  record Drop() implements Outcome {
    @Override
    public Kind kind() {
      return Kind.DROP;
    }
  }

  /** The task is given back unharmed: to the head of its queue. Costs no retry. */
  record Requeue() implements Outcome {
    @Override
    public Kind kind() {
      return Kind.REQUEUE;
    }
  }

  static Outcome done() {
    return new Done(null);
  }

  /** Success with a result: a {@code Payload}, bytes, or a value that the codec can encode. */
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

  static Outcome drop() {
    return new Drop();
  }

  /** The task may be claimed again at once. To wait for something, use {@link #snooze}. */
  static Outcome requeue() {
    return new Requeue();
  }

  /** The outcome of an attempt that stopped because its task was cancelled. */
  static Outcome cancelled(AfterCancel after, String reason) {
    return switch (after) {
      case RETRY -> retry(reason);
      case ARCHIVE -> archive(reason);
      case DELETE -> drop();
    };
  }

  private static String given(@Nullable String reason) {
    return reason == null ? "no reason given" : reason;
  }

  private static void requireNotNegative(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay must not be negative: " + delay);
    }
  }

  /** For code far below the handler: thrown anywhere, it decides about the task. */
  default OutcomeException asException() {
    return new OutcomeException(this);
  }
}
