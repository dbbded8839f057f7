package io.asynq4j.internal.outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.handler.HandlerNotFoundException;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Settlement;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The outcome that is applied, depending on the decision of handler, worker or server. */
class OutcomePolicyTest {

  private static final Duration POLICY = Duration.ofSeconds(40);
  private static final Duration MISSING = Duration.ofMinutes(1);
  private static final Duration CENTURY = Duration.ofDays(36_500);
  private static final String LONG = "x".repeat(2_001);
  private static final String CUT = "x".repeat(2_000) + "…";

  private static final Claim FRESH = claim(25);
  private static final Claim EXHAUSTED = claim(0);

  private static Claim claim(int maxRetry) {
    NewTask task =
        NewTask.of(Task.of("t"), TaskOptions.of(o -> o.id("a").maxRetry(maxRetry)), Instant.EPOCH);
    return new Claim(task.message(), "token", Instant.EPOCH.plusSeconds(15));
  }

  /** Interrupts are no failures here, and failures are not kept. */
  private static OutcomePolicy policy() {
    return policy(RetryPolicy.fixed(POLICY), /* keepsFailures= */ false);
  }

  private static OutcomePolicy policy(RetryPolicy retryPolicy, boolean keepsFailures) {
    return new OutcomePolicy(
        claim -> retryPolicy,
        error -> !(error instanceof InterruptedException),
        PayloadCodec.json(),
        new ResultLimit(4),
        MISSING,
        keepsFailures);
  }

  private static Settlement retry(Duration delay, String error, boolean precise) {
    return new Settlement.Retry(FRESH, delay, error, /* failure= */ true, precise);
  }

  private static Arguments row(Claim claim, Outcome given, Outcome applied, Settlement settlement) {
    return Arguments.of(claim, given, applied, settlement);
  }

  static Stream<Arguments> outcomes() {
    Payload small = Payload.ofUtf8("1234");
    List<Object> circle = new ArrayList<>();
    circle.add(circle);
    Duration fraction = Duration.ofMillis(1_250);
    return Stream.of(
        row(
            FRESH,
            Outcome.done(),
            Outcome.done(),
            new Settlement.Complete(FRESH, Payload.absent())),
        row(
            FRESH,
            Outcome.done(Payload.absent()),
            Outcome.done(),
            new Settlement.Complete(FRESH, Payload.absent())),
        row(FRESH, Outcome.done(small), Outcome.done(small), new Settlement.Complete(FRESH, small)),
        row(
            FRESH,
            Outcome.done(small.bytes()),
            Outcome.done(small),
            new Settlement.Complete(FRESH, small)),
        row(FRESH, Outcome.done(1234), Outcome.done(small), new Settlement.Complete(FRESH, small)),
        row(
            FRESH,
            Outcome.done(Payload.ofUtf8("12345")),
            Outcome.done(),
            new Settlement.Complete(
                FRESH,
                Payload.absent(),
                TaskInfo.RESULT_DROPPED + "it has 5 bytes, the limit is 4")),
        row(
            FRESH,
            Outcome.done(circle),
            Outcome.done(),
            new Settlement.Complete(FRESH, Payload.absent())),
        row(
            FRESH,
            Outcome.retry("busy"),
            Outcome.retry("busy", POLICY),
            retry(POLICY, "busy", false)),
        row(
            FRESH,
            Outcome.retry("busy", fraction),
            Outcome.retry("busy", fraction),
            retry(fraction, "busy", true)),
        row(
            FRESH,
            Outcome.retry(LONG, Duration.ofSeconds(Long.MAX_VALUE)),
            Outcome.retry(CUT, CENTURY),
            retry(CENTURY, CUT, false)),
        row(
            EXHAUSTED,
            Outcome.retry("busy", fraction),
            Outcome.archive("busy"),
            new Settlement.Archive(EXHAUSTED, "busy")),
        row(FRESH, Outcome.archive(LONG), Outcome.archive(CUT), new Settlement.Archive(FRESH, CUT)),
        row(
            EXHAUSTED,
            Outcome.snooze(fraction),
            Outcome.snooze(fraction),
            new Settlement.Reschedule(EXHAUSTED, fraction, true)),
        row(
            FRESH,
            Outcome.snooze(Duration.ofSeconds(Long.MAX_VALUE)),
            Outcome.snooze(CENTURY),
            new Settlement.Reschedule(FRESH, CENTURY, false)),
        row(FRESH, Outcome.drop(), Outcome.drop(), new Settlement.Drop(FRESH)),
        row(EXHAUSTED, Outcome.requeue(), Outcome.requeue(), new Settlement.Requeue(EXHAUSTED)));
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void anOutcomeIsAppliedWithinItsLimits(
      Claim claim, Outcome given, Outcome applied, Settlement settlement) {
    AppliedOutcome result = policy().apply(claim, given, null);

    assertThat(result.outcome()).isEqualTo(applied);
    assertThat(result.settlement()).isEqualTo(settlement);
    assertThat(result.failed())
        .isEqualTo(given.kind() == Outcome.Kind.RETRY || given.kind() == Outcome.Kind.ARCHIVE);
    assertThat(result.error() != null).isEqualTo(result.failed());
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void anOutcomeThatIsThrownCountsAsIfItWasReturned(
      Claim claim, Outcome given, Outcome applied, Settlement settlement) {
    RuntimeException wrapped = new RuntimeException("wrapped", given.asException());

    AppliedOutcome result = policy().apply(claim, null, wrapped);

    assertThat(result.outcome()).isEqualTo(applied);
    assertThat(result.settlement()).isEqualTo(settlement);
  }

  static Stream<Arguments> errors() {
    IOException failure = new IOException("reset");
    String text = "java.io.IOException: reset";
    return Stream.of(
        Arguments.of(FRESH, failure, retry(POLICY, text, false), true),
        Arguments.of(EXHAUSTED, failure, new Settlement.Archive(EXHAUSTED, text), true),
        Arguments.of(
            FRESH,
            null,
            retry(POLICY, "java.lang.NullPointerException: the handler returned no outcome", false),
            true),
        Arguments.of(
            FRESH,
            new DeadlineExceededException(),
            retry(POLICY, "context deadline exceeded", false),
            true),
        Arguments.of(
            FRESH,
            new RuntimeException("w", new PayloadException("no number", null)),
            new Settlement.Archive(FRESH, "java.lang.RuntimeException: w"),
            true),
        Arguments.of(
            EXHAUSTED,
            new HandlerNotFoundException("t"),
            new Settlement.Retry(
                EXHAUSTED,
                MISSING,
                String.valueOf(new HandlerNotFoundException("t").getMessage()),
                /* failure= */ false,
                /* precise= */ false),
            false),
        Arguments.of(
            EXHAUSTED,
            new InterruptedException("stop"),
            new Settlement.Retry(
                EXHAUSTED,
                POLICY,
                "java.lang.InterruptedException: stop",
                /* failure= */ false,
                /* precise= */ false),
            false));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anErrorIsRetriedAsLongAsRetriesAreLeft(
      Claim claim, @Nullable Throwable error, Settlement settlement, boolean failed) {
    AppliedOutcome result = policy().apply(claim, null, error);

    assertThat(result.settlement()).isEqualTo(settlement);
    assertThat(result.failed()).isEqualTo(failed);
    if (settlement instanceof Settlement.Retry retry) {
      assertThat(result.outcome()).isEqualTo(Outcome.retry(retry.error(), retry.delay()));
    } else {
      assertThat(result.outcome())
          .isEqualTo(Outcome.archive(((Settlement.Archive) settlement).error()));
    }
  }

  private static Optional<OutcomePolicy.Failure> failureOf(AppliedOutcome applied) {
    if (!applied.failed()) {
      return Optional.empty();
    }
    return Optional.of(
        applied.outcome() instanceof Outcome.Retry retry
            ? new OutcomePolicy.Failure(retry.reason(), /* willRetry= */ true)
            : new OutcomePolicy.Failure(
                ((Outcome.Archive) applied.outcome()).reason(), /* willRetry= */ false));
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void theFailureOfAnOutcomeIsKnownBeforeItIsSettled(Claim claim, Outcome given) {
    assertThat(OutcomePolicy.failure(given, claim.message().isExhausted()))
        .isEqualTo(failureOf(policy().apply(claim, given, null)));
  }

  /** All but those that the policy of this test does not count. */
  static Stream<Arguments> countedErrors() {
    return errors()
        .filter(row -> row.get()[1] != null && !(row.get()[1] instanceof InterruptedException));
  }

  @ParameterizedTest
  @MethodSource("countedErrors")
  void theFailureOfAnErrorIsKnownBeforeItIsSettled(Claim claim, Throwable error) {
    assertThat(OutcomePolicy.failure(error, null, claim.message().isExhausted()))
        .isEqualTo(failureOf(policy().apply(claim, null, error)));
  }

  @ParameterizedTest
  @EnumSource(
      value = CancelReason.class,
      names = {"SHUTDOWN", "LEASE_LOST", "DEADLINE"})
  void theFailureOfAStoppedHandlerIsKnownBeforeItIsSettled(CancelReason reason) {
    PayloadException error = new PayloadException("no number", null);

    assertThat(OutcomePolicy.failure(error, reason, /* isLastAttempt= */ false))
        .isEqualTo(failureOf(policy().stopped(FRESH, reason, AfterCancel.RETRY, error)));
  }

  static Stream<Arguments> stops() {
    return Stream.of(
        Arguments.of(CancelReason.SHUTDOWN, AfterCancel.RETRY, Outcome.requeue(), false),
        Arguments.of(CancelReason.LEASE_LOST, AfterCancel.RETRY, Outcome.requeue(), false),
        Arguments.of(
            CancelReason.DEADLINE,
            AfterCancel.RETRY,
            Outcome.retry("context deadline exceeded", POLICY),
            true),
        Arguments.of(
            CancelReason.REQUESTED,
            AfterCancel.RETRY,
            Outcome.retry("context canceled", POLICY),
            false),
        Arguments.of(
            CancelReason.REQUESTED,
            AfterCancel.ARCHIVE,
            Outcome.archive("context canceled"),
            false),
        Arguments.of(CancelReason.REQUESTED, AfterCancel.DELETE, Outcome.drop(), false));
  }

  @ParameterizedTest
  @MethodSource("stops")
  void theReasonWhyAHandlerStopsDecides(
      CancelReason reason, AfterCancel after, Outcome applied, boolean failed) {
    AppliedOutcome result = policy().stopped(FRESH, reason, after, new IOException("closed"));

    assertThat(result.outcome()).isEqualTo(applied);
    assertThat(result.failed()).isEqualTo(failed);
  }

  @Test
  void aCancelledTaskWithoutRetriesLeftIsArchived() {
    AppliedOutcome result =
        policy().stopped(EXHAUSTED, CancelReason.REQUESTED, AfterCancel.RETRY, null);

    assertThat(result.outcome()).isEqualTo(Outcome.archive("context canceled"));
    assertThat(result.error()).isInstanceOf(CancellationException.class);
    assertThat(result.failed()).isFalse();
  }

  @Test
  void aHandlerThatIsStoppedMayThrowAnOutcome() {
    AppliedOutcome result =
        policy()
            .stopped(
                FRESH,
                CancelReason.REQUESTED,
                AfterCancel.DELETE,
                Outcome.snooze(POLICY).asException());

    assertThat(result.outcome()).isEqualTo(Outcome.snooze(POLICY));
  }

  @Test
  void failuresAreKeptWithWhereTheyWereThrownAndTextsWithoutIt() {
    OutcomePolicy keeping = policy(RetryPolicy.fixed(POLICY), /* keepsFailures= */ true);
    IOException failure = new IOException("reset");
    failure.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("app.Mailer", "send", "Mailer.java", 7)});

    assertThat(keeping.apply(FRESH, null, failure).settlement())
        .isEqualTo(
            new Settlement.Retry(
                FRESH,
                POLICY,
                "java.io.IOException: reset",
                /* failure= */ true,
                /* precise= */ false,
                "java.io.IOException: reset\n\tat app.Mailer.send(Mailer.java:7)\n"));
    assertThat(keeping.apply(FRESH, Outcome.archive("bad"), null).settlement())
        .isEqualTo(new Settlement.Archive(FRESH, "bad", ""));
    assertThat(keeping.stopped(FRESH, CancelReason.DEADLINE, AfterCancel.RETRY, null).settlement())
        .isEqualTo(
            new Settlement.Retry(
                FRESH,
                POLICY,
                "context deadline exceeded",
                /* failure= */ true,
                /* precise= */ false,
                DeadlineExceededException.class.getName() + ": context deadline exceeded\n"));
  }

  @Test
  void aPolicyThatFailsReachesTheCallerUnlessItHasAFallback() {
    RetryPolicy broken =
        (retried, error, task) -> {
          throw new IllegalStateException("no delay");
        };
    RetryPolicy negative = (retried, error, task) -> Duration.ofSeconds(-1);

    assertThatThrownBy(() -> policy(broken, false).apply(FRESH, Outcome.retry("busy"), null))
        .hasMessage("no delay");
    assertThat(policy(negative, false).apply(FRESH, Outcome.retry("busy"), null).outcome())
        .isEqualTo(Outcome.retry("busy", Duration.ZERO));
    for (RetryPolicy each : new RetryPolicy[] {broken, negative}) {
      assertThat(new FallbackRetryPolicy(each).delay(0, new IOException(), Task.of("t")))
          .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(44));
    }
  }

  @Test
  void whatTheRulesCannotDecideIsTriedAgainAsByDefault() {
    IllegalStateException error = new IllegalStateException("on purpose");

    assertThat(policy().undecided(FRESH, error).outcome().kind()).isEqualTo(Outcome.Kind.RETRY);
    assertThat(policy().undecided(EXHAUSTED, error).outcome())
        .isEqualTo(Outcome.archive("java.lang.IllegalStateException: on purpose"));
  }

  @Test
  void whatRedisRefusesIsArchivedAndThenAsItIsStored() {
    IOException refusal = new IOException("WRONGTYPE");
    AppliedOutcome done = policy().apply(FRESH, Outcome.done(), null);

    AppliedOutcome archived = OutcomePolicy.unsettleable(done, refusal);
    AppliedOutcome asStored = OutcomePolicy.unsettleable(archived, refusal);

    String first = "could not be settled as DONE: java.io.IOException: WRONGTYPE";
    String second = "could not be settled as ARCHIVE: java.io.IOException: WRONGTYPE";
    assertThat(archived)
        .isEqualTo(
            new AppliedOutcome(
                Outcome.archive(first), new Settlement.Archive(FRESH, first), refusal, false));
    assertThat(asStored)
        .isEqualTo(
            new AppliedOutcome(
                Outcome.archive(second), new Settlement.Quarantine(FRESH, second), refusal, false));
  }

  @Test
  void aMessageOfWhichNoAttemptCanBeMadeIsArchived() {
    assertThat(OutcomePolicy.unattemptable(FRESH, new IllegalArgumentException("no type")))
        .extracting(AppliedOutcome::outcome, AppliedOutcome::settlement)
        .containsExactly(Outcome.archive("no type"), new Settlement.Archive(FRESH, "no type"));
  }

  @Test
  void aResultThatIsWrittenWhileItsTaskRunsIsRefusedWhenItIsTooLarge() {
    assertThat(policy().intermediateResult(FRESH, 1234)).isEqualTo(Payload.ofUtf8("1234"));
    assertThatThrownBy(() -> policy().intermediateResult(FRESH, Payload.ofUtf8("12345")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("5 bytes, the limit is 4");
  }

  @Test
  void anErrorWithoutWordsHasItsName() {
    RuntimeException silent =
        new RuntimeException() {
          private static final long serialVersionUID = 1;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no words");
          }
        };

    assertThat(ErrorText.of(silent)).isEqualTo(silent.getClass().getName());
  }
}
