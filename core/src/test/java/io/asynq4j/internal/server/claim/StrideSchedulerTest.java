package io.asynq4j.internal.server.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrideSchedulerTest {

  private final StrideScheduler stride = new StrideScheduler(/* strict= */ false);

  private static List<QueueClaimState> enter(StrideScheduler stride, int... weights) {
    List<QueueClaimState> queues = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      QueueClaimState queue =
          new QueueClaimState(QueueName.of("q" + i), weights[i], QueueRules.NONE);
      queues.add(queue);
      stride.enter(queue);
    }
    return queues;
  }

  private static int sum(Map<QueueClaimState, Integer> shares) {
    return shares.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void oneQueueGetsEverything() {
    List<QueueClaimState> queues = enter(stride, 3);

    assertThat(stride.share(7)).containsExactly(Map.entry(queues.get(0), 7));
  }

  @Test
  void freeWorkersAreSharedByWeight() {
    List<QueueClaimState> queues = enter(stride, 6, 3, 1);

    assertThat(stride.share(100))
        .containsOnly(
            Map.entry(queues.get(0), 60),
            Map.entry(queues.get(1), 30),
            Map.entry(queues.get(2), 10));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 16})
  void oneWorkerAfterTheOtherIsSharedByWeightToo(int free) {
    List<QueueClaimState> queues = enter(stride, 6, 3, 1);
    Map<QueueClaimState, Integer> given = new LinkedHashMap<>();
    for (int round = 0; round < 10_000 / free; round++) {
      stride.share(free).forEach((queue, share) -> given.merge(queue, share, Integer::sum));
    }
    assertThat(given.get(queues.get(0))).isCloseTo(6_000, Percentage.withPercentage(1));
    assertThat(given.get(queues.get(1))).isCloseTo(3_000, Percentage.withPercentage(1));
    assertThat(given.get(queues.get(2))).isCloseTo(1_000, Percentage.withPercentage(1));
  }

  @Test
  void fixesW55_largeWeightsWithoutACommonDivisorCostNothing() {
    enter(stride, 2_147_483_647, 2_147_483_629);

    assertThat(stride.share(10)).hasSize(2);
  }

  @Test
  void whatAQueueHadNoUseForIsNotCounted() {
    QueueClaimState first = enter(stride, 1, 1).get(0);
    stride.refund(first, stride.share(10).getOrDefault(first, 0));

    assertThat(stride.share(10).get(first)).isBetween(7, 8);
  }

  @Test
  void aQueueThatHadNothingForLongDoesNotCatchUp() {
    QueueClaimState idle = enter(stride, 1, 1).get(1);
    stride.leave(idle);
    for (int i = 0; i < 1_000; i++) {
      assertThat(stride.share(10)).doesNotContainKey(idle);
    }
    stride.enter(idle);

    assertThat(stride.share(100).get(idle)).isBetween(45, 60);
  }

  @Test
  void ofManyQueuesEachComesToItsTurn() {
    int[] weights = new int[100];
    Random random = new Random(1);
    for (int i = 0; i < weights.length; i++) {
      weights[i] = 1 + random.nextInt(5);
    }
    List<QueueClaimState> queues = enter(stride, weights);
    Map<QueueClaimState, Integer> given = new LinkedHashMap<>();
    for (int round = 0; round < 5_000; round++) {
      Map<QueueClaimState, Integer> shares = stride.share(4);
      assertThat(sum(shares)).isEqualTo(4);
      shares.forEach((queue, share) -> given.merge(queue, share, Integer::sum));
    }
    double each = 20_000.0 / Arrays.stream(weights).sum();
    for (QueueClaimState queue : queues) {
      assertThat((double) given.getOrDefault(queue, 0))
          .isBetween(queue.weight() * each - 5, queue.weight() * each + 5);
    }
  }

  @Test
  void aForgottenSubscriberGetsNothing() {
    List<QueueClaimState> queues = enter(stride, 1, 1);
    stride.removeIf(queue -> queue == queues.get(0));

    assertThat(stride.contains(queues.get(0))).isFalse();
    assertThat(stride.share(10)).containsExactly(Map.entry(queues.get(1), 10));
  }

  @Test
  void strictlyTheHeaviestIsOfferedAllFirst() {
    StrideScheduler strict = new StrideScheduler(/* strict= */ true);
    List<QueueClaimState> queues = enter(strict, 1, 6, 3);

    assertThat(strict.share(5))
        .containsExactly(
            Map.entry(queues.get(1), 5), Map.entry(queues.get(2), 5), Map.entry(queues.get(0), 5));
  }
}
