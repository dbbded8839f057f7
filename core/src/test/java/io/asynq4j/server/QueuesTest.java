package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueuesTest {

  @Test
  void aPatternFitsFromBeginToEnd() {
    QueuePattern pattern = QueuePattern.of("tenant-*:mail", 2);

    assertThat(pattern.matches(QueueName.of("tenant-1:mail"))).isTrue();
    assertThat(pattern.matches(QueueName.of("tenant-:mail"))).isTrue();
    assertThat(pattern.matches(QueueName.of("tenant-1:mail2"))).isFalse();
    assertThat(pattern.matches(QueueName.of("x-tenant-1:mail"))).isFalse();
  }

  @Test
  void aPatternWithoutAStarOrWithoutWeightIsRefused() {
    assertThatThrownBy(() -> QueuePattern.of("mail", 1)).hasMessageContaining("needs a *");
    assertThatThrownBy(() -> QueuePattern.of("mail*", 0)).hasMessageContaining("1 or more");
  }

  @Test
  void aQueueThatRedisRefusesKeepsNoOtherFromItsTurn() {
    List<String> done = new ArrayList<>();
    assertThatThrownBy(
            () ->
                EachQueue.of(
                    List.of("a", "b", "c", "d"),
                    queue -> {
                      if (queue.equals("a") || queue.equals("c")) {
                        throw new BrokerRefusedException(queue, false, new Exception());
                      }
                      done.add(queue);
                    }))
        .hasMessage("a");
    assertThat(done).containsExactly("b", "d");
  }

  @Test
  void anOutageIsOneForAllQueues() {
    List<String> asked = new ArrayList<>();
    assertThatThrownBy(
            () ->
                EachQueue.of(
                    List.of("a", "b"),
                    queue -> {
                      asked.add(queue);
                      throw new BrokerUnavailableException("down", false, new Exception());
                    }))
        .hasMessage("down");
    assertThat(asked).containsExactly("a");
  }
}
