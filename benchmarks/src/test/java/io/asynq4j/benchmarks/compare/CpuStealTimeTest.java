package io.asynq4j.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuStealTimeTest {

  @Test
  void stealTimeIsTheEighthFieldAndGuestTimeIsNotCountedTwice() {
    assertThat(CpuStealTime.parse("cpu  100 2 30 400 5 0 7 56 90 1"))
        .isEqualTo(new CpuStealTime(56, 600));
  }

  @Test
  void aShareIsOfTheTimeSinceThen() {
    assertThat(new CpuStealTime(30, 1_200).shareSince(new CpuStealTime(20, 1_000))).isEqualTo(0.05);
    assertThat(new CpuStealTime(30, 1_200).shareSince(new CpuStealTime(30, 1_200))).isZero();
  }

  @Test
  void aSystemWithoutStealTimeReportsNone() {
    assertThat(CpuStealTime.parse("")).isEqualTo(new CpuStealTime(0, 0));
    assertThat(CpuStealTime.now().shareSince(CpuStealTime.now())).isBetween(0.0, 1.0);
  }
}
