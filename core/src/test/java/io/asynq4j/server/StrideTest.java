package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrideTest {

  private final Stride stride = new Stride(/* strict= */ false);

  private static Map<String, Stride.Turn> turns(int... weights) {
    Map<String, Stride.Turn> turns = new LinkedHashMap<>();
    for (int i = 0; i < weights.length; i++) {
      turns.put("q" + i, new Stride.Turn(weights[i]));
    }
    return turns;
  }

  private static Stride.Turn turn(Map<String, Stride.Turn> turns, String queue) {
    return Objects.requireNonNull(turns.get(queue));
  }

  private static int sum(Map<String, Integer> shares) {
    return shares.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void oneQueueGetsEverything() {
    assertThat(stride.share(7, turns(3))).containsExactly(Map.entry("q0", 7));
  }

  @Test
  void freeWorkersAreSharedByWeight() {
    assertThat(stride.share(100, turns(6, 3, 1)))
        .containsOnly(Map.entry("q0", 60), Map.entry("q1", 30), Map.entry("q2", 10));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 16})
  void oneWorkerAfterTheOtherIsSharedByWeightToo(int free) {
    Map<String, Stride.Turn> turns = turns(6, 3, 1);
    Map<String, Integer> given = new LinkedHashMap<>();
    for (int round = 0; round < 10_000 / free; round++) {
      stride.share(free, turns).forEach((queue, share) -> given.merge(queue, share, Integer::sum));
    }
    assertThat(given.get("q0")).isCloseTo(6_000, Percentage.withPercentage(1));
    assertThat(given.get("q1")).isCloseTo(3_000, Percentage.withPercentage(1));
    assertThat(given.get("q2")).isCloseTo(1_000, Percentage.withPercentage(1));
  }

  @Test
  void fixesW55_largeWeightsWithoutACommonDivisorCostNothing() {
    assertThat(stride.share(10, turns(2_147_483_647, 2_147_483_629))).hasSize(2);
  }

  @Test
  void whatAQueueHadNoUseForIsNotCounted() {
    Map<String, Stride.Turn> turns = turns(1, 1);
    int first = stride.share(10, turns).getOrDefault("q0", 0);
    stride.refund(turn(turns, "q0"), first);

    assertThat(stride.share(10, turns).get("q0")).isBetween(7, 8);
  }

  @Test
  void aQueueThatHadNothingForLongDoesNotCatchUp() {
    Map<String, Stride.Turn> both = turns(1, 1);
    Map<String, Stride.Turn> busy = Map.of("q0", turn(both, "q0"));
    for (int i = 0; i < 1_000; i++) {
      stride.share(10, busy);
    }
    stride.enter(turn(both, "q1"));

    assertThat(stride.share(100, both).get("q1")).isBetween(45, 60);
  }

  @Test
  void ofManyQueuesEachComesToItsTurn() {
    int[] weights = new int[100];
    Random random = new Random(1);
    for (int i = 0; i < weights.length; i++) {
      weights[i] = 1 + random.nextInt(5);
    }
    Map<String, Stride.Turn> turns = turns(weights);
    Map<String, Integer> given = new LinkedHashMap<>();
    for (int round = 0; round < 5_000; round++) {
      Map<String, Integer> shares = stride.share(4, turns);
      assertThat(sum(shares)).isEqualTo(4);
      shares.forEach((queue, share) -> given.merge(queue, share, Integer::sum));
    }
    double each = 20_000.0 / Arrays.stream(weights).sum();
    for (int i = 0; i < weights.length; i++) {
      assertThat((double) given.getOrDefault("q" + i, 0))
          .isBetween(weights[i] * each - 5, weights[i] * each + 5);
    }
  }

  @Test
  void strictlyTheHeaviestIsOfferedAllFirst() {
    Stride strict = new Stride(/* strict= */ true);

    assertThat(strict.share(5, turns(1, 6, 3)))
        .containsExactly(Map.entry("q1", 5), Map.entry("q2", 5), Map.entry("q0", 5));
  }
}
