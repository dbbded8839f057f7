package io.asynq4j.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StolenTimeTest {

  @Test
  void itIsTheEighthTimeOfAllProcessorsAndGuestsAreNotCountedTwice() {
    assertThat(StolenTime.parse("cpu  100 2 30 400 5 0 7 56 90 1"))
        .isEqualTo(new StolenTime(56, 600));
  }

  @Test
  void aShareIsOfTheTimeSinceThen() {
    assertThat(new StolenTime(30, 1_200).shareSince(new StolenTime(20, 1_000))).isEqualTo(0.05);
    assertThat(new StolenTime(30, 1_200).shareSince(new StolenTime(30, 1_200))).isZero();
  }

  @Test
  void aSystemThatDoesNotTellHasNoneStolen() {
    assertThat(StolenTime.parse("")).isEqualTo(new StolenTime(0, 0));
    assertThat(StolenTime.now().shareSince(StolenTime.now())).isBetween(0.0, 1.0);
  }
}
