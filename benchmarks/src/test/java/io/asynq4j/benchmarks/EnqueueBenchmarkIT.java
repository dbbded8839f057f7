package io.asynq4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** That the program measures every shape; not how fast it is. */
class EnqueueBenchmarkIT {

  @Test
  void everyShapeHasItsFigureAndEveryBarItsVerdict() {
    Report report = EnqueueBenchmark.run(/* quick= */ true);

    assertThat(report.tables().get(0).rows())
        .hasSize(13)
        .allSatisfy(row -> assertThat((Double) row.get(1)).isPositive());
    assertThat(report.bars()).hasSize(5).allSatisfy(bar -> assertThat(bar.value()).isFinite());
  }
}
