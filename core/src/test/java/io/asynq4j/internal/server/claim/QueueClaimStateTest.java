package io.asynq4j.internal.server.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.QueueRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long servers that are notified of the same task wait for each other. */
class QueueClaimStateTest {

  private static final long STEP = 200_000;

  private final QueueClaimState queue = new QueueClaimState(QueueName.DEFAULT, 1, QueueRules.NONE);

  /** As one of this many equally fast servers. */
  private void race(int rivals, int races) {
    for (int i = 1; i <= races; i++) {
      queue.reported();
      if (i % rivals == 0) {
        queue.gotSomething();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void oneOfFewNeverWaits(int rivals) {
    for (int i = 0; i < 100; i++) {
      race(rivals, rivals - 1);
      assertThat(queue.reported()).isZero();
      queue.gotSomething();
    }
  }

  @Test
  void oneOfManyWaitsAtRandomAndTheLongerTheMoreThereAre() {
    race(50, 2_500);
    long sum = 0;
    for (int i = 0; i < 50; i++) {
      long wait = queue.reported();
      assertThat(wait).isBetween(0L, 47 * STEP);
      sum += wait;
    }
    assertThat(sum / 50).isBetween(15 * STEP, 32 * STEP);
  }

  @Test
  void noCallerWaitsLongHoweverManyClaimsAreEmpty() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(queue.reported()).isBetween(0L, 97 * STEP);
    }
  }

  @Test
  void aCallerWithoutCompanionsSoonStopsWaiting() {
    race(50, 2_500);
    race(1, 20);

    assertThat(queue.reported()).isZero();
  }
}
