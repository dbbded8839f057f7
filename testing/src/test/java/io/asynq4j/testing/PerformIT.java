package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.ADA;
import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static io.asynq4j.testing.SampleTypes.MAIL;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.testing.SampleTypes.Mail;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@AsynqTest
class PerformIT {

  @Test
  void theOutcomeOfAHandlerIsReturned(TestQueues tasks) {
    tasks.handlers(
        Mux.builder()
            .handle(INVOICE, (n, context) -> Outcome.snooze(ofMinutes(n)))
            .run(CLEANUP, (none, context) -> {})
            .build());

    assertThat(tasks.perform(INVOICE, 5)).isEqualTo(Outcome.snooze(ofMinutes(5)));
    assertThat(tasks.perform(CLEANUP)).isEqualTo(Outcome.done());
    tasks.refuteAnyEnqueued();
  }

  @Test
  void aHandlerSeesTheGivenContextAndItsMiddleware(TestQueues tasks) {
    List<Object> seen = new ArrayList<>();
    tasks.handlers(
        Mux.builder()
            .use(
                (task, context, next) -> {
                  seen.add("before " + task.type());
                  return next.call();
                })
            .run(
                MAIL,
                (mail, context) -> {
                  seen.addAll(
                      List.of(
                          mail,
                          context.id(),
                          context.queue().value(),
                          context.retryCount(),
                          context.maxRetry(),
                          context.isLastAttempt(),
                          context.headers(),
                          context.deadline()));
                })
            .build());

    tasks.perform(
        MAIL,
        ADA,
        a ->
            a.id("m1")
                .queue("low")
                .retried(2)
                .maxRetry(2)
                .header("tenant", "7")
                .timeout(ofSeconds(9)));

    assertThat(seen)
        .containsExactly(
            "before email:welcome",
            ADA,
            "m1",
            "low",
            2,
            2,
            true,
            Map.of("tenant", "7"),
            tasks.now().plusSeconds(9));
  }

  @Test
  void optionsOfTheTypeApply(TestQueues tasks) {
    List<String> seen = new ArrayList<>();
    tasks.handlers(
        Mux.builder()
            .run(
                MAIL,
                (mail, context) ->
                    seen.add(context.queue() + " " + context.maxRetry() + " " + context.headers()))
            .build());
    TaskType<Mail> withHeader = MAIL.with(o -> o.header("tenant", "7"));

    tasks.perform(withHeader, ADA);
    tasks.perform(withHeader, ADA, a -> a.header("tenant", "8"));

    assertThat(seen).containsExactly("mail 3 {tenant=7}", "mail 3 {tenant=8}");
  }

  @Test
  void anExceptionBecomesTheOutcomeThatAServerWouldApply(TestQueues tasks) {
    IOException failure = new IOException("connection reset");
    tasks
        .handlers(
            Mux.builder()
                .run(
                    MAIL,
                    (mail, context) -> {
                      throw failure;
                    })
                .build())
        .server(s -> s.retryPolicy(RetryPolicy.fixed(ofMinutes(3))));

    assertThat(tasks.perform(MAIL, ADA))
        .isEqualTo(Outcome.retry("java.io.IOException: connection reset", ofMinutes(3)));
    AttemptResult last = tasks.attempt(MAIL, ADA, a -> a.retried(3));
    assertThat(last.outcome()).isEqualTo(Outcome.archive("java.io.IOException: connection reset"));
    assertThat(last.error()).containsSame(failure);
  }

  @Test
  void aThrownOutcomeIsApplied(TestQueues tasks) {
    tasks.handlers(
        Mux.builder()
            .run(
                CLEANUP,
                (none, context) -> {
                  throw Outcome.drop().asException();
                })
            .build());

    assertThat(tasks.perform(CLEANUP)).isEqualTo(Outcome.drop());
  }

  @Test
  void resultAndProgressAreReturned(TestQueues tasks) {
    tasks.handlers(
        Mux.builder()
            .handle(
                INVOICE,
                (n, context) -> {
                  context.progress(50, "half");
                  context.writeResult("draft");
                  return Outcome.done("final");
                })
            .build());

    AttemptResult result = tasks.attempt(INVOICE, 1, a -> {});

    assertThat(result.outcome()).isEqualTo(Outcome.done(Payload.ofUtf8("\"final\"")));
    assertThat(result.results()).extracting(Payload::utf8).containsExactly("\"draft\"");
    assertThat(result.progress()).extracting(p -> p.percent() + p.note()).containsExactly("50half");
    assertThat(result.error()).isEmpty();
  }

  @Test
  void aCancelledAttemptSeesTheReason(TestQueues tasks) {
    List<Optional<CancelReason>> seen = new ArrayList<>();
    tasks.handlers(
        Mux.builder()
            .run(
                CLEANUP,
                (none, context) -> {
                  seen.add(context.cancelled());
                  Thread.sleep(60_000);
                })
            .build());

    Outcome requested = tasks.perform(CLEANUP, null, a -> a.cancelled(CancelReason.REQUESTED));
    Outcome shutdown = tasks.perform(CLEANUP, null, a -> a.cancelled(CancelReason.SHUTDOWN));

    assertThat(seen)
        .containsExactly(Optional.of(CancelReason.REQUESTED), Optional.of(CancelReason.SHUTDOWN));
    assertThat(requested.kind()).isEqualTo(Outcome.Kind.RETRY);
    assertThat(shutdown).isEqualTo(Outcome.requeue());
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void anAttemptAfterTheDeadlineFailsWithoutItsHandler(TestQueues tasks) {
    List<Integer> ran = new ArrayList<>();
    tasks.handlers(Mux.builder().run(INVOICE, (n, context) -> ran.add(n)).build());

    AttemptResult result =
        tasks.attempt(INVOICE, 1, a -> a.deadline(tasks.now().minusSeconds(1)).maxRetry(0));

    assertThat(result.outcome().kind()).isEqualTo(Outcome.Kind.ARCHIVE);
    assertThat(ran).isEmpty();
  }

  @Test
  void aHandlerIsInterruptedAtItsTimeout(TestQueues tasks) {
    List<Optional<CancelReason>> seen = new ArrayList<>();
    tasks.handlers(
        Mux.builder()
            .run(
                CLEANUP,
                (none, context) -> {
                  try {
                    Thread.sleep(600_000);
                  } finally {
                    seen.add(context.cancelled());
                  }
                })
            .build());

    AttemptResult result = tasks.attempt(CLEANUP, null, a -> a.timeout(ofSeconds(1)));

    assertThat(seen).containsExactly(Optional.of(CancelReason.DEADLINE));
    assertThat(result.outcome().kind()).isEqualTo(Outcome.Kind.RETRY);
  }

  @Test
  void aFailedAssertionInAHandlerFailsTheTest(TestQueues tasks) {
    tasks.handlers((task, context) -> failedAssertion());

    assertThatThrownBy(() -> tasks.perform(CLEANUP))
        .isInstanceOf(AssertionError.class)
        .hasMessage("wrong tenant");
  }

  private static Outcome failedAssertion() {
    throw new AssertionError("wrong tenant");
  }

  @Test
  void missingHandlersAreRefused(TestQueues tasks) {
    assertThatThrownBy(() -> tasks.perform(CLEANUP))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "no handlers are set, so no task can be run: pass a Mux to handlers(…) of TestQueues, AsynqExtension or AsynqTestEnvironment");
    assertThatThrownBy(tasks::drain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("no handlers are set");
    tasks.handlers(Mux.builder().run(INVOICE, (n, context) -> {}).build());
    assertThatThrownBy(() -> tasks.perform(CLEANUP))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "no handler for task type \"cleanup\": the Mux has [invoice]; add one with run(…) or handle(…)");
    assertThatThrownBy(() -> tasks.handlers(Mux.builder().build()).drain())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the Mux has no handler");
    assertThatThrownBy(() -> tasks.perform(CLEANUP, null, a -> a.retried(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retried must be 0 or greater, got -1");
  }
}
