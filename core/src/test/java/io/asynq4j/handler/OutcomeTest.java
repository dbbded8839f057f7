package io.asynq4j.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.AfterCancel;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OutcomeTest {

  @Test
  void eachOutcomeHasItsArguments() {
    Duration minute = Duration.ofMinutes(1);

    assertThat(Outcome.done()).isEqualTo(new Outcome.Done(null));
    assertThat(Outcome.done("r")).isEqualTo(new Outcome.Done("r"));
    assertThat(Outcome.retry("busy")).isEqualTo(new Outcome.Retry("busy", null));
    assertThat(Outcome.retry("busy", minute)).isEqualTo(new Outcome.Retry("busy", minute));
    assertThat(Outcome.snooze(Duration.ZERO)).isEqualTo(new Outcome.Snooze(Duration.ZERO));
    assertThat(Outcome.archive("bad")).isEqualTo(new Outcome.Archive("bad"));
    assertThat(Outcome.drop()).isEqualTo(new Outcome.Drop());
    assertThat(Outcome.requeue()).isEqualTo(new Outcome.Requeue());
  }

  @Test
  void eachOutcomeHasItsKind() {
    assertThat(
            Stream.of(
                    Outcome.done(),
                    Outcome.retry("busy"),
                    Outcome.snooze(Duration.ZERO),
                    Outcome.archive("bad"),
                    Outcome.drop(),
                    Outcome.requeue())
                .map(Outcome::kind))
        .containsExactly(Outcome.Kind.values());
  }

  @Test
  void theCancellerOfATaskDecidesItsOutcome() {
    assertThat(Outcome.cancelled(AfterCancel.RETRY, "why")).isEqualTo(Outcome.retry("why"));
    assertThat(Outcome.cancelled(AfterCancel.ARCHIVE, "why")).isEqualTo(Outcome.archive("why"));
    assertThat(Outcome.cancelled(AfterCancel.DELETE, "why")).isEqualTo(Outcome.drop());
  }

  @Test
  void aReasonMayBeTheMessageOfAnExceptionThatHasNone() {
    String message = new RuntimeException().getMessage();

    assertThat(Outcome.retry(message)).isEqualTo(new Outcome.Retry("no reason given", null));
    assertThat(Outcome.archive(message)).isEqualTo(new Outcome.Archive("no reason given"));
  }

  @Test
  void aDelayIntoThePastIsRefused() {
    Duration past = Duration.ofSeconds(-1);

    assertThatThrownBy(() -> Outcome.retry("x", past))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be negative, got PT-1S");
    assertThatThrownBy(() -> Outcome.snooze(past)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOutcomeCanBeThrown() {
    Outcome snooze = Outcome.snooze(Duration.ofSeconds(3));

    assertThatThrownBy(
            () -> {
              throw snooze.asException();
            })
        .isInstanceOfSatisfying(
            OutcomeException.class, e -> assertThat(e.outcome()).isSameAs(snooze))
        .hasMessage("Snooze[delay=PT3S]");
  }

  @Test
  void aResultIsInNoText() {
    OutcomeException thrown = Outcome.done("secret").asException();

    assertThat(thrown).hasMessage("Done[java.lang.String]");
    assertThat(Outcome.done()).hasToString("Done[]");
  }
}
