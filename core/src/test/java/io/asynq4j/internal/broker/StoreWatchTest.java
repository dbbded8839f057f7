package io.asynq4j.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Number of queries that find out which queues have tasks in which part. */
class StoreWatchTest {

  private static final QueueName MAIL = QueueName.of("mail");
  private static final QueueName MEDIA = QueueName.of("media");
  private static final QueueName IDLE = QueueName.of("idle");

  private static final Set<QueuePart> PARTS =
      EnumSet.of(QueuePart.LEASE, QueuePart.AGGREGATION_SETS);

  /** Knows what each queue has, and notes what it is asked. */
  private record Known(Map<QueueName, Set<QueuePart>> queues, List<String> questions)
      implements StoreWatch {

    @Override
    public Set<QueueName> having(Collection<QueueName> asked, Set<QueuePart> parts) {
      questions.add(parts.toString());
      Set<QueueName> having = new HashSet<>(asked);
      having.removeIf(
          queue -> queues.getOrDefault(queue, Set.of()).stream().noneMatch(parts::contains));
      return having;
    }

    @Override
    public Watch watch(Listener listener) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void whereNothingIsOneQuestionIsEnough() {
    Known watch = new Known(Map.of(MAIL, Set.of(QueuePart.PENDING)), new ArrayList<>());

    assertThat(watch.havingEach(List.of(MAIL, IDLE), PARTS))
        .isEqualTo(Map.of(QueuePart.LEASE, Set.of(), QueuePart.AGGREGATION_SETS, Set.of()));
    assertThat(watch.questions()).containsExactly("[LEASE, AGGREGATION_SETS]");
  }

  @Test
  void whereSomethingIsEachPartIsAskedFor() {
    Known watch =
        new Known(
            Map.of(
                MAIL,
                Set.of(QueuePart.LEASE),
                MEDIA,
                Set.of(QueuePart.LEASE, QueuePart.AGGREGATION_SETS)),
            new ArrayList<>());

    assertThat(watch.havingEach(List.of(MAIL, IDLE, MEDIA), PARTS))
        .isEqualTo(
            Map.of(
                QueuePart.LEASE, Set.of(MAIL, MEDIA), QueuePart.AGGREGATION_SETS, Set.of(MEDIA)));
    assertThat(watch.questions())
        .containsExactly("[LEASE, AGGREGATION_SETS]", "[LEASE]", "[AGGREGATION_SETS]");
  }
}
