package io.asynq4j.internal.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ContentionBackoffTest {

  private static final long STEP = 2_000_000;

  private final ContentionBackoff rivals = new ContentionBackoff();

  /** As one of this many equally fast servers. */
  private void race(int number, int races) {
    for (int i = 1; i <= races; i++) {
      rivals.called();
      if (i % number == 0) {
        rivals.won();
      }
    }
  }

  @Test
  void oneAloneNeverWaits() {
    for (int i = 0; i < 100; i++) {
      assertThat(rivals.pauseNanos(STEP)).isZero();
      race(1, 1);
    }
  }

  @Test
  void oneOfManyWaitsForAFewStepsOfEachOther() {
    race(20, 2_000);
    long longest = 0;
    for (int i = 0; i < 1_000; i++) {
      longest = Math.max(longest, rivals.pauseNanos(STEP));
    }
    assertThat(longest).isBetween(10 * STEP, 17 * STEP);
  }
}
