package io.asynq4j.internal.server.attempt;

import io.asynq4j.Payload;
import io.asynq4j.PayloadException;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.handler.HandlerNotFoundException;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.OutcomeException;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.server.ServerListener.Ending;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what becomes of a task, by what its handler returned or threw. */
public final class OutcomePolicy {

  private static final Logger log = LoggerFactory.getLogger(OutcomePolicy.class);

  /** What is kept of the text of an error. */
  private static final int LONGEST_ERROR = 2_000;

  /** A time beyond all calendars could not be written, and nothing that is settled with it. */
  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  private final ServerConfig config;

  public OutcomePolicy(ServerConfig config) {
    this.config = config;
  }

  AttemptOutcome of(Attempt attempt, @Nullable Outcome outcome, @Nullable Throwable error) {
    Outcome thrown = error == null ? outcome : thrownOutcome(error);
    if (thrown == null) {
      return failed(attempt, error == null ? new NullPointerException() : error, null);
    }
    Claim claim = attempt.claim();
    if (thrown instanceof Outcome.Done done) {
      return done(attempt, done);
    } else if (thrown instanceof Outcome.Retry retry) {
      return failed(attempt, new HandlerFailureException(retry.reason(), error), retry.delay());
    } else if (thrown instanceof Outcome.Snooze snooze) {
      return new AttemptOutcome(
          Ending.SNOOZED,
          new Settlement.Reschedule(claim, atMost(snooze.delay()), isPrecise(snooze.delay())),
          null);
    } else if (thrown instanceof Outcome.Archive archive) {
      return archived(claim, new HandlerFailureException(archive.reason(), error));
    }
    return new AttemptOutcome(Ending.DROPPED, new Settlement.Drop(claim), null);
  }

  private AttemptOutcome done(Attempt attempt, Outcome.Done done) {
    Payload result;
    try {
      result = encode(done.result());
    } catch (RuntimeException | Error e) {
      // The work is done; running it again would do it twice.
      log.error(
          "the result of task {} ({}) cannot be written and is not kept",
          LogText.name(attempt.id()),
          LogText.name(attempt.type()),
          e);
      result = Payload.absent();
    }
    return new AttemptOutcome(
        Ending.COMPLETED, config.resultLimit().complete(attempt.claim(), result), null);
  }

  Payload encode(@Nullable Object result) {
    if (result == null) {
      return Payload.absent();
    }
    if (result instanceof Payload payload) {
      return payload;
    }
    return result instanceof byte[] bytes ? Payload.of(bytes) : config.codec().encode(result);
  }

  /** Back to the head of its queue. */
  public static AttemptOutcome requeued(Attempt attempt) {
    return requeued(attempt.claim());
  }

  public static AttemptOutcome requeued(Claim claim) {
    return new AttemptOutcome(Ending.REQUEUED, new Settlement.Requeue(claim), null);
  }

  /** No attempt can be made of it, now or later. */
  public static AttemptOutcome refused(Claim claim, RuntimeException why) {
    String message = why.getMessage();
    return new AttemptOutcome(
        Ending.ARCHIVED,
        new Settlement.Archive(claim, message == null ? why.toString() : message),
        why);
  }

  /** The handler was asked to stop, and has either thrown something since or not come back. */
  AttemptOutcome stopped(Attempt attempt, CancelReason reason, @Nullable Throwable error) {
    if (error != null && thrownOutcome(error) != null) {
      return of(attempt, null, error);
    }
    return switch (reason) {
      case SHUTDOWN, LEASE_LOST ->
          new AttemptOutcome(Ending.REQUEUED, new Settlement.Requeue(attempt.claim()), error);
      case DEADLINE -> failed(attempt, new DeadlineExceededException(), null);
      case REQUESTED -> cancelled(attempt);
    };
  }

  private AttemptOutcome cancelled(Attempt attempt) {
    // The text that Go workers leave in such a case.
    CancellationException cancelled = new CancellationException("context canceled");
    return switch (attempt.afterCancel()) {
      case RETRY -> failed(attempt, cancelled, null).asNoFailure();
      case ARCHIVE -> archived(attempt.claim(), cancelled).asNoFailure();
      case DELETE ->
          new AttemptOutcome(
              Ending.DROPPED, new Settlement.Drop(attempt.claim()), /* error= */ null);
    };
  }

  /**
   * The attempt failed.
   *
   * @param delay until the next one; null = as the retry policy says
   */
  AttemptOutcome failed(Attempt attempt, Throwable error, @Nullable Duration delay) {
    Claim claim = attempt.claim();
    if (find(error, PayloadException.class) != null) {
      return archived(claim, error);
    }
    if (find(error, HandlerNotFoundException.class) != null) {
      log.warn(
          "no handler for task type \"{}\" (task {}, queue {}); it is tried again in {} s, which"
              + " costs no retry",
          LogText.name(attempt.type()),
          LogText.name(attempt.id()),
          LogText.name(attempt.queue().value()),
          config.missingHandlerDelay().toSeconds());
      return retried(claim, error, config.missingHandlerDelay(), /* failure= */ false);
    }
    boolean failure = isFailure(error);
    if (failure && claim.message().isExhausted()) {
      return archived(claim, error);
    }
    return retried(
        claim, error, delay != null ? delay : delay(attempt.task(), claim, error), failure);
  }

  /** What the rules of the user, or ours, could not decide: tried again, as by default. */
  AttemptOutcome undecided(Attempt attempt, Throwable error) {
    Claim claim = attempt.claim();
    if (claim.message().isExhausted()) {
      return archived(claim, error);
    }
    Duration delay = RetryPolicy.standard().delay(claim.message().retried(), error, attempt.task());
    return retried(claim, error, delay, /* failure= */ true);
  }

  private AttemptOutcome archived(Claim claim, Throwable error) {
    return new AttemptOutcome(
        Ending.ARCHIVED,
        new Settlement.Archive(claim, text(error), trace(error)),
        error,
        /* failed= */ true);
  }

  private AttemptOutcome retried(Claim claim, Throwable error, Duration delay, boolean failure) {
    return new AttemptOutcome(
        Ending.RETRIED,
        new Settlement.Retry(
            claim, atMost(delay), text(error), failure, isPrecise(delay), trace(error)),
        error,
        failure);
  }

  private static Duration atMost(Duration delay) {
    return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
  }

  /** Whoever asks for a part of a second wants it; a Go forwarder may be up to a second early. */
  private static boolean isPrecise(Duration delay) {
    return delay.toMillisPart() != 0;
  }

  private boolean isFailure(Throwable error) {
    try {
      return config.isFailure().test(error);
    } catch (Throwable e) {
      log.error("isFailure failed, so the attempt counts as failed", e);
      return true;
    }
  }

  private Duration delay(Task task, Claim claim, Throwable error) {
    int retried = claim.message().retried();
    try {
      Duration delay = config.retryPolicyOf(task.type()).delay(retried, error, task);
      if (!delay.isNegative()) {
        return delay;
      }
      log.error("the retry policy gave a negative delay: {}", delay);
    } catch (Throwable e) {
      log.error("the retry policy failed; the standard one is used", e);
    }
    return RetryPolicy.standard().delay(retried, error, task);
  }

  private static @Nullable Outcome thrownOutcome(Throwable error) {
    OutcomeException found = find(error, OutcomeException.class);
    return found == null ? null : found.outcome();
  }

  private static <E extends Throwable> @Nullable E find(Throwable error, Class<E> type) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < 50; depth++) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
      cause = cause.getCause();
    }
    return null;
  }

  static String text(Throwable error) {
    try {
      return shortened(words(error));
    } catch (RuntimeException | Error e) {
      // An exception whose text cannot be had is still one.
      return error.getClass().getName();
    }
  }

  /** Null when failures are not to be kept. */
  private @Nullable String trace(Throwable error) {
    if (!config.keepsFailures()) {
      return null;
    }
    // What a handler has returned has no place; only what it threw.
    Throwable thrown = error instanceof HandlerFailureException ? error.getCause() : error;
    return thrown == null ? "" : StackTraceFormatter.of(thrown);
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR) + "…";
  }

  private static String words(Throwable error) {
    String message = error.getMessage();
    boolean plain =
        error instanceof HandlerFailureException
            || error instanceof DeadlineExceededException
            || error instanceof HandlerNotFoundException
            || error instanceof CancellationException;
    return plain && message != null ? message : error.toString();
  }
}
