package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Value classes: equality, builders and toString. */
class ValueClassesTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private static TaskInfo task() {
    return TaskInfo.builder("1", QueueName.of("mail"), "email:welcome")
        .payload(Payload.ofUtf8("p"))
        .headers(Map.of("a", "b"))
        .state(TaskState.RETRY)
        .maxRetry(3)
        .retried(2)
        .lastError("refused")
        .lastFailedAt(NOON)
        .timeout(Duration.ofMinutes(1))
        .deadline(NOON.plusSeconds(60))
        .group("g")
        .nextProcessAt(NOON.plusSeconds(1))
        .orphaned(true)
        .retention(Duration.ofDays(1))
        .completedAt(NOON)
        .result(Payload.ofUtf8("r"))
        .crashes(1)
        .uniqueKey("key")
        .progress(new Progress(50, "half"))
        .since(NOON)
        .build();
  }

  @Test
  void copiesAreEqual() {
    assertThat(task().toBuilder().build()).isEqualTo(task()).hasSameHashCodeAs(task());
    TaskOptions options =
        TaskOptions.builder()
            .queue("mail")
            .maxRetry(1)
            .timeout(Duration.ofSeconds(1))
            .deadline(NOON)
            .uniqueFor(Duration.ofSeconds(2))
            .processAt(NOON)
            .precise()
            .id("1")
            .retention(Duration.ofSeconds(3))
            .group("g")
            .header("a", "b")
            .build();
    assertThat(TaskOptions.defaults().overriddenBy(options))
        .isEqualTo(options)
        .hasSameHashCodeAs(options);
    TaskDefinition definition =
        TaskDefinition.builder("mail", TaskKind.WORKER).maxRetry(1).maxRun(2).build();
    assertThat(definition.toBuilder().build()).isEqualTo(definition).hasSameHashCodeAs(definition);
  }

  @Test
  void oneOtherValueMakesThemDiffer() {
    assertThat(task().toBuilder().retried(1).build()).isNotEqualTo(task());
    assertThat(Task.of("t", Payload.ofUtf8("p"), Map.of("a", "b")))
        .isEqualTo(Task.of("t", Payload.ofUtf8("p")).withHeaders(Map.of("a", "b")))
        .isNotEqualTo(Task.of("t", Payload.ofUtf8("p")));
  }

  @Test
  void theTextNamesEachValueAndShowsNoPayload() {
    assertThat(Task.of("t", Payload.ofUtf8("secret"), Map.of("a", "b")))
        .hasToString("TaskRecord[type=t, payload=Payload[6 bytes], headers={a=b}]");
  }
}
