package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.server.GroupAggregator.Aggregated;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class GroupAggregatorTest {

  private static final QueueName QUEUE = QueueName.of("q");
  private static final TaskType<Integer> NUMBER = TaskType.of("number", Integer.class);
  private static final TaskType<String> SUM =
      TaskType.of("sum", String.class).with(o -> o.queue("other").maxRetry(3));

  private static final GroupAggregator SUMS =
      GroupAggregator.of(
          NUMBER, SUM, numbers -> "" + numbers.stream().mapToInt(Integer::intValue).sum());

  private static Task number(int value) {
    return NUMBER.task(value, PayloadCodec.json());
  }

  private static GroupAggregator always(String type) {
    return (queue, group, tasks) -> Aggregated.of(Task.of(type));
  }

  @Test
  void aTypedAggregatorDecodesAndEncodes() throws Exception {
    Aggregated made = SUMS.aggregate(QUEUE, "g", List.of(number(1), number(2)));

    assertThat(made.task()).isEqualTo(Task.of("sum", Payload.ofUtf8("\"3\"")));
    assertThat(made.options().maxRetry()).isEqualTo(3);
    assertThat(made.options().queue()).isNull();
    assertThatThrownBy(() -> SUMS.aggregate(QUEUE, "g", List.of(number(1), Task.of("other"))))
        .hasMessageContaining("a task of type \"other\"")
        .hasMessageContaining("accepts only \"number\"");
  }

  @Test
  void anAggregatorIsChosenByGroupThenByTypeThenForTheRest() throws Exception {
    ServerSettings.Groups groups =
        new ServerSettings.Groups()
            .aggregator(NUMBER, SUMS)
            .aggregator("digest:*", always("digest"));
    GroupAggregator without = aggregatorOf(groups);
    GroupAggregator all = aggregatorOf(groups.aggregator(always("rest")));

    assertThat(type(all, "digest:mail", number(1))).isEqualTo("digest");
    assertThat(type(all, "g", number(1))).isEqualTo("sum");
    assertThat(type(all, "g", number(1), Task.of("t"))).isEqualTo("rest");
    assertThat(type(all, "g", Task.of("t"))).isEqualTo("rest");
    assertThatThrownBy(() -> type(without, "g", Task.of("t")))
        .hasMessageContaining("no aggregator matches group \"g\" of queue \"q\"");
    assertThatThrownBy(() -> groups.aggregator(NUMBER, SUMS)).hasMessageContaining("already");
  }

  @Test
  void withoutAggregatorsGroupsAreLeftToOthers() {
    assertThat(new ServerSettings.Groups().config(PayloadCodec.json())).isNull();
  }

  private static GroupAggregator aggregatorOf(ServerSettings.Groups groups) {
    return Objects.requireNonNull(groups.config(PayloadCodec.json())).aggregator();
  }

  private static String type(GroupAggregator aggregator, String group, Task... tasks)
      throws Exception {
    return aggregator.aggregate(QUEUE, group, List.of(tasks)).task().type();
  }
}
