package io.asynq4j.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HashedIdSetTest {

  @Test
  void whatWasAddedIsThereAndNothingElse() {
    HashedIdSet ids = new HashedIdSet();
    for (int i = 0; i < 100_000; i++) {
      assertThat(ids.add("task-" + i)).isTrue();
    }

    for (int i = 0; i < 100_000; i++) {
      assertThat(ids.contains("task-" + i)).isTrue();
      assertThat(ids.contains("other-" + i)).isFalse();
    }
    assertThat(ids.add("task-7")).isFalse();
  }

  @Test
  void anEmptyOneHoldsNothing() {
    assertThat(new HashedIdSet().contains("")).isFalse();
  }
}
