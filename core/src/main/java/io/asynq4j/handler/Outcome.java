package io.asynq4j.handler;

import static io.asynq4j.internal.codec.ArgumentValidator.requireNotNegative;

import io.asynq4j.AfterCancel;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an attempt. Handlers return one, workers settle leases with one, and listeners
 * receive the one that was applied. Immutable.
 *
 * <pre>{@code
 * return response.isBusy() ? Outcome.snooze(Duration.ofMinutes(5)) : Outcome.done(response.id());
 * }</pre>
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

  /** Returns the case of this outcome. */
  Kind kind();

  /**
   * The attempt succeeded.
   *
   * @param result stored with the task for its retention; null keeps an earlier result
   */
  record Done(@Nullable Object result) implements Outcome {
    @Override
    public Kind kind() {
      return Kind.DONE;
    }

    /** Contains only the type of the result, which does not belong in logs. */
    @Override
    public String toString() {
      return result == null ? "Done[]" : "Done[" + result.getClass().getName() + "]";
    }
  }

  /**
   * The attempt failed, and the task is retried. A task without retries left is archived instead.
   *
   * @param delay until the next attempt; if null, the retry policy decides
   */
  record Retry(String reason, @Nullable Duration delay) implements Outcome {
    public Retry {
      Objects.requireNonNull(reason, "reason");
      requireNotNegative(Objects.requireNonNullElse(delay, Duration.ZERO), "delay");
    }

    @Override
    public Kind kind() {
      return Kind.RETRY;
    }
  }

  /** The task runs again later. The attempt did not fail and uses up no retry. */
  record Snooze(Duration delay) implements Outcome {
    public Snooze {
      requireNotNegative(delay, "delay");
    }

    @Override
    public Kind kind() {
      return Kind.SNOOZE;
    }
  }

  /** The attempt failed, and the task is archived, even if retries are left. */
  record Archive(String reason) implements Outcome {
    public Archive {
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public Kind kind() {
      return Kind.ARCHIVE;
    }
  }

  /** The task is deleted, regardless of its retention. */
  record Drop() implements Outcome {
    @Override
    public Kind kind() {
      return Kind.DROP;
    }
  }

  /** The task returns to the head of its queue. The attempt uses up no retry. */
  record Requeue() implements Outcome {
    @Override
    public Kind kind() {
      return Kind.REQUEUE;
    }
  }

  /** Success without a result. */
  static Outcome done() {
    return new Done(null);
  }

  /** Success with a result: a {@code Payload}, bytes, or a value that the codec can encode. */
  static Outcome done(@Nullable Object result) {
    return new Done(result);
  }

  /** Failure; the task is retried after the delay of the retry policy. */
  static Outcome retry(@Nullable String reason) {
    return new Retry(given(reason), null);
  }

  /** Failure; the task is retried after this delay. */
  static Outcome retry(@Nullable String reason, Duration delay) {
    return new Retry(given(reason), Objects.requireNonNull(delay, "delay"));
  }

  /** The task runs again after this delay, which uses up no retry. */
  static Outcome snooze(Duration delay) {
    return new Snooze(delay);
  }

  /** Failure; the task is archived and not retried. */
  static Outcome archive(@Nullable String reason) {
    return new Archive(given(reason));
  }

  /** The task is deleted. */
  static Outcome drop() {
    return new Drop();
  }

  /** The task can be claimed again at once. Use {@link #snooze} to wait. */
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

  /** Returns an exception that, thrown anywhere in a handler, results in this outcome. */
  default OutcomeException asException() {
    return new OutcomeException(this);
  }
}
