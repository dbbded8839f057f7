package io.asynq4j.internal.outcome;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.handler.HandlerNotFoundException;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.OutcomeException;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.codec.PayloadConverter;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the result of a handler or the decision of a worker into the outcome that is applied, by
 * the rules that users configure. The only place with the limits of retries, delays, texts and
 * results. Thread-safe.
 *
 * @param retryPolicies the retry policy of a task; its exceptions reach the caller
 * @param isFailure whether an error counts as a failure, which uses up a retry
 * @param missingHandlerDelay the delay of a task that has no handler
 * @param keepsFailures whether errors are stored with their task, with their stack traces
 */
public record OutcomePolicy(
    Function<Claim, RetryPolicy> retryPolicies,
    Predicate<Throwable> isFailure,
    PayloadCodec codec,
    ResultLimit resultLimit,
    Duration missingHandlerDelay,
    boolean keepsFailures) {

  private static final Logger log = LoggerFactory.getLogger(OutcomePolicy.class);

  /** A later time could not be stored, nor the settlements in the same call. */
  static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  /** The text of Go workers. */
  private static final String CANCELLED = "context canceled";

  /**
   * How an attempt fails, as known before it is settled.
   *
   * @param error the text that is stored with the task
   */
  public record Failure(String error, boolean willRetry) {}

  /** Returns how an attempt with this outcome fails; empty if it does not fail. */
  public static Optional<Failure> failure(Outcome outcome, boolean isLastAttempt) {
    if (outcome instanceof Outcome.Retry retry) {
      return Optional.of(new Failure(ErrorText.cut(retry.reason()), !isLastAttempt));
    }
    return outcome instanceof Outcome.Archive archive
        ? Optional.of(new Failure(ErrorText.cut(archive.reason()), /* willRetry= */ false))
        : Optional.empty();
  }

  /**
   * Returns how an attempt fails whose handler has thrown an error without an outcome, if every
   * error counts as a failure; empty if it does not fail.
   *
   * @param reason of the cancellation of the handler; null if it was not cancelled
   */
  public static Optional<Failure> failure(
      Throwable thrown, @Nullable CancelReason reason, boolean isLastAttempt) {
    Throwable error = reason == CancelReason.DEADLINE ? new DeadlineExceededException() : thrown;
    boolean isRequeued = reason == CancelReason.SHUTDOWN || reason == CancelReason.LEASE_LOST;
    boolean willRetry = !isLastAttempt && !has(error, PayloadException.class);
    return isRequeued || has(error, HandlerNotFoundException.class)
        ? Optional.empty()
        : Optional.of(new Failure(ErrorText.of(error), willRetry));
  }

  /** Returns the outcome that an exception or one of its causes carries; null if there is none. */
  public static @Nullable Outcome thrownOutcome(Throwable error) {
    OutcomeException found = find(error, OutcomeException.class);
    return found == null ? null : found.outcome();
  }

  /**
   * Applies the decision of a worker or the result of a handler: an outcome or an error. A thrown
   * outcome counts like a returned one.
   */
  public AppliedOutcome apply(Claim claim, @Nullable Outcome outcome, @Nullable Throwable error) {
    Outcome wanted = error == null ? outcome : thrownOutcome(error);
    if (wanted != null) {
      return settled(claim, wanted, reason -> new HandlerFailureException(reason, error));
    }
    return failed(
        claim,
        error == null ? new NullPointerException("the handler returned no outcome") : error,
        null);
  }

  /**
   * Applies the cancellation of a handler that has thrown an error since or has not returned.
   *
   * @param after the outcome of a requested cancellation
   */
  public AppliedOutcome stopped(
      Claim claim, CancelReason reason, AfterCancel after, @Nullable Throwable error) {
    if (error != null && thrownOutcome(error) != null) {
      return apply(claim, null, error);
    }
    return switch (reason) {
      case SHUTDOWN, LEASE_LOST -> requeued(claim, error);
      case DEADLINE -> failed(claim, new DeadlineExceededException(), null);
      case REQUESTED ->
          settled(claim, Outcome.cancelled(after, CANCELLED), CancellationException::new)
              .asNoFailure();
    };
  }

  /** Applies the default rules, because the configured ones failed: the task is retried. */
  public AppliedOutcome undecided(Claim claim, Throwable error) {
    return claim.message().isExhausted()
        ? archived(claim, error)
        : retried(claim, error, delay(RetryPolicy.standard(), claim, error), /* failure= */ true);
  }

  /** Requeues the task at the head of its queue. */
  public static AppliedOutcome requeued(Claim claim) {
    return requeued(claim, null);
  }

  private static AppliedOutcome requeued(Claim claim, @Nullable Throwable error) {
    return new AppliedOutcome(
        Outcome.requeue(), new Settlement.Requeue(claim), error, /* failed= */ false);
  }

  /** Archives a task that cannot be attempted, now or later. */
  public static AppliedOutcome unattemptable(Claim claim, RuntimeException why) {
    String message = why.getMessage();
    String reason = ErrorText.cut(message == null ? why.toString() : message);
    return new AppliedOutcome(
        Outcome.archive(reason), new Settlement.Archive(claim, reason), why, /* failed= */ false);
  }

  /**
   * Replaces a settlement whose data Redis rejects: the task is archived. If that was rejected too,
   * it is archived with its message as it is stored.
   */
  public static AppliedOutcome unsettleable(AppliedOutcome refused, Throwable refusal) {
    Claim claim = refused.settlement().claim();
    String reason =
        ErrorText.cut("could not be settled as " + refused.outcome().kind() + ": " + refusal);
    return new AppliedOutcome(
        Outcome.archive(reason),
        refused.settlement() instanceof Settlement.Archive
            ? new Settlement.Quarantine(claim, reason)
            : new Settlement.Archive(claim, reason),
        refusal,
        /* failed= */ false);
  }

  /** Encodes a result that is stored while its task runs. Fails if it is too large. */
  public Payload intermediateResult(Claim claim, @Nullable Object result) {
    return resultLimit.require(claim, encode(result));
  }

  /**
   * @param failure creates the error of a retry or archive from its reason
   */
  private AppliedOutcome settled(Claim claim, Outcome wanted, Function<String, Throwable> failure) {
    if (wanted instanceof Outcome.Done done) {
      return done(claim, done);
    } else if (wanted instanceof Outcome.Retry retry) {
      return failed(claim, failure.apply(retry.reason()), retry.delay());
    } else if (wanted instanceof Outcome.Archive archive) {
      return archived(claim, failure.apply(archive.reason()));
    } else if (wanted instanceof Outcome.Snooze snooze) {
      return snoozed(claim, snooze);
    } else if (wanted instanceof Outcome.Drop) {
      return AppliedOutcome.of(wanted, new Settlement.Drop(claim));
    }
    return requeued(claim);
  }

  private AppliedOutcome done(Claim claim, Outcome.Done done) {
    Payload result;
    try {
      result = encode(done.result());
    } catch (RuntimeException | Error e) {
      // The work is done; a retry would repeat it.
      log.error(
          "the result of task {} ({}) cannot be encoded; the task is completed without it",
          LogText.name(claim.id()),
          LogText.name(claim.message().type()),
          e);
      result = Payload.absent();
    }
    Settlement.Complete complete = resultLimit.complete(claim, result);
    Payload kept = complete.result();
    return AppliedOutcome.of(kept.isPresent() ? Outcome.done(kept) : Outcome.done(), complete);
  }

  private Payload encode(@Nullable Object result) {
    return result == null ? Payload.absent() : PayloadConverter.encode(result, codec);
  }

  private static AppliedOutcome snoozed(Claim claim, Outcome.Snooze snooze) {
    Duration delay = clamp(snooze.delay());
    return AppliedOutcome.of(
        Outcome.snooze(delay), new Settlement.Reschedule(claim, delay, isPrecise(delay)));
  }

  /**
   * @param delay until the next attempt; if null, the retry policy decides
   */
  private AppliedOutcome failed(Claim claim, Throwable error, @Nullable Duration delay) {
    if (has(error, PayloadException.class)) {
      return archived(claim, error);
    }
    if (has(error, HandlerNotFoundException.class)) {
      log.warn(
          "no handler for task type \"{}\" (task {}, queue {}); it is retried in {} s, which"
              + " does not use up a retry",
          LogText.name(claim.message().type()),
          LogText.name(claim.id()),
          LogText.name(claim.queue().value()),
          missingHandlerDelay.toSeconds());
      return retried(claim, error, missingHandlerDelay, /* failure= */ false);
    }
    boolean failure = isFailure(error);
    if (failure && claim.message().isExhausted()) {
      return archived(claim, error);
    }
    Duration chosen = delay != null ? delay : delay(retryPolicies.apply(claim), claim, error);
    return retried(claim, error, chosen, failure);
  }

  private static Duration delay(RetryPolicy policy, Claim claim, Throwable error) {
    return policy.delay(claim.message().retried(), error, claim.message().task());
  }

  private AppliedOutcome archived(Claim claim, Throwable error) {
    String text = ErrorText.of(error);
    return new AppliedOutcome(
        Outcome.archive(text),
        new Settlement.Archive(claim, text, trace(error)),
        error,
        /* failed= */ true);
  }

  private AppliedOutcome retried(
      Claim claim, Throwable error, Duration chosenDelay, boolean failure) {
    String text = ErrorText.of(error);
    Duration delay = clamp(chosenDelay);
    return new AppliedOutcome(
        Outcome.retry(text, delay),
        new Settlement.Retry(claim, delay, text, failure, isPrecise(delay), trace(error)),
        error,
        failure);
  }

  private static Duration clamp(Duration delay) {
    return TimeMath.max(Duration.ZERO, TimeMath.min(delay, LONGEST_DELAY));
  }

  /** A delay with a fraction of a second is kept exactly; a Go forwarder may be up to 1 s early. */
  private static boolean isPrecise(Duration delay) {
    return delay.toMillisPart() != 0;
  }

  private boolean isFailure(Throwable error) {
    try {
      return isFailure.test(error);
    } catch (Throwable e) {
      log.error("isFailure threw an exception; the attempt counts as failed", e);
      return true;
    }
  }

  /** Returns null if failures are not stored, and an empty text if nothing was thrown. */
  private @Nullable String trace(Throwable error) {
    if (!keepsFailures) {
      return null;
    }
    Throwable thrown = ErrorText.thrown(error);
    return thrown == null ? "" : StackTraceFormatter.of(thrown);
  }

  private static boolean has(Throwable error, Class<? extends Throwable> type) {
    return find(error, type) != null;
  }

  private static <E extends Throwable> @Nullable E find(Throwable error, Class<E> type) {
    // A cause may lead back to itself.
    return Stream.iterate(error, Objects::nonNull, Throwable::getCause)
        .limit(50)
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElse(null);
  }
}
