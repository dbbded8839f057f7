package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.codec.TypeRef;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskTypeTest {

  private record Order(int id) {}

  private static final PayloadCodec JSON = PayloadCodec.json();

  @Test
  void aGenericInputIsReadAsWhatItIs() {
    TaskType<List<Order>> orders = TaskType.of("orders", new TypeRef<List<Order>>() {});
    TaskType<Map<String, List<Order>>> byName = TaskType.of("orders", new TypeRef<>() {});

    Task task = orders.task(List.of(new Order(1), new Order(2)), JSON);

    assertThat(task.payload().utf8()).isEqualTo("[{\"id\":1},{\"id\":2}]");
    assertThat(orders.input(task, JSON)).containsExactly(new Order(1), new Order(2));
    assertThat(byName.input(byName.task(Map.of("a", List.of(new Order(3))), JSON), JSON))
        .isEqualTo(Map.of("a", List.of(new Order(3))));
    assertThatThrownBy(() -> orders.input(Task.of("orders", Payload.ofUtf8("{}")), JSON))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("java.util.List<" + Order.class.getName() + ">");
  }

  @Test
  @SuppressWarnings("rawtypes")
  void aReferenceNeedsItsType() {
    assertThatThrownBy(() -> new TypeRef() {}).hasMessageContaining("new TypeRef<List<Order>>()");
  }

  @Test
  void aReferenceMayBeOfATypeKnownAtRunTime() throws NoSuchMethodException {
    Type type = getClass().getDeclaredMethod("orders").getGenericReturnType();

    assertThat(TypeRef.of(type).type()).isEqualTo(new TypeRef<List<Order>>() {}.type());
    assertThat(TaskType.of("orders", TypeRef.of(Order.class)))
        .isEqualTo(TaskType.of("orders", Order.class));
  }

  @SuppressWarnings("UnusedMethod")
  private static List<Order> orders() {
    return List.of();
  }

  @Test
  void aPolicyAndOptionsStayWithTheType() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(1));
    TaskType<Void> type = TaskType.of("t").retryPolicy(policy).with(o -> o.maxRetry(2));

    assertThat(TaskType.of("t").retryPolicy()).isEmpty();
    assertThat(type.retryPolicy()).containsSame(policy);
    assertThat(type.options().maxRetry()).isEqualTo(2);
    assertThat(type.returning(String.class).retryPolicy()).containsSame(policy);
  }

  @Test
  void aTypeWithAResultKeepsEverything() {
    ResultTaskType<Order, List<String>> type =
        TaskType.of("t", Order.class)
            .with(o -> o.maxRetry(2))
            .returning(new TypeRef<List<String>>() {})
            .with(o -> o.queue("q"))
            .retryPolicy(RetryPolicy.standard());

    assertThat(type.options()).isEqualTo(TaskOptions.of(o -> o.queue("q").maxRetry(2)));
    assertThat(type.input()).isEqualTo(Order.class);
    assertThat(type).hasToString("t");
    TaskInfo done =
        TaskInfo.builder("1", QueueName.DEFAULT, "t")
            .state(TaskState.COMPLETED)
            .result(Payload.ofUtf8("[\"a\"]"))
            .build();
    assertThat(type.result(done, JSON)).containsExactly("a");
    assertThatThrownBy(() -> type.result(done.toBuilder().result(Payload.absent()).build(), JSON))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("result");
    assertThatThrownBy(
            () ->
                type.result(
                    done.toBuilder().lastError(TaskInfo.RESULT_DROPPED + "2 MiB").build(), JSON))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("2 MiB")
        .hasMessageContaining("maxResult");
  }

  @Test
  void typesAreEqualByWhatTheyDeclare() {
    assertThat(TaskType.of("t", Order.class))
        .isEqualTo(TaskType.of("t", Order.class))
        .hasSameHashCodeAs(TaskType.of("t", Order.class))
        .isNotEqualTo(TaskType.of("t", String.class))
        .isNotEqualTo(TaskType.of("t", Order.class).returning(String.class));
    assertThat(TaskType.of("t").returning(String.class))
        .isEqualTo(TaskType.of("t").returning(String.class))
        .isNotEqualTo(TaskType.of("t").returning(Integer.class));
  }
}
