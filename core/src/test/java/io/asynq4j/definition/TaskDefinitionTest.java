package io.asynq4j.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.RateLimit;
import io.asynq4j.TaskOptions;
import io.asynq4j.definition.TaskDefinition.FollowUps;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.internal.definition.TaskDefinitionCodec;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskDefinitionTest {

  private static TaskDefinition full() {
    return TaskDefinition.builder("dump", TaskKind.WORKER)
        .queue("a=b\n\\n")
        .weight(4)
        .maxRun(3)
        .ordered(true)
        .timeout(Duration.ofMillis(1500))
        .maxRetry(0)
        .backoff(Duration.ofSeconds(1))
        .longestBackoff(Duration.ofMinutes(1))
        .retention(Duration.ofDays(1))
        .uniqueFor(Duration.ofHours(1))
        .maxPending(1_000)
        .rate(new RateLimit(7, Duration.ofMinutes(1), 3))
        .followUps(new FollowUps(null, "done", "a\nb"))
        .paramsSchema("{\"type\":\n\r\"object\"}")
        .fromFile(true)
        .build();
  }

  @Test
  void whatIsWrittenIsReadBack() {
    assertThat(TaskDefinitionCodec.parse("dump", TaskDefinitionCodec.format(full())))
        .isEqualTo(full());
    TaskDefinition plain = TaskDefinition.builder("p", TaskKind.HTTP).build();
    assertThat(TaskDefinitionCodec.format(plain)).isEqualTo("kind=http\nqueue=p\n");
    assertThat(TaskDefinitionCodec.parse("p", TaskDefinitionCodec.format(plain))).isEqualTo(plain);
  }

  @Test
  void aTimeWithoutEndIsWrittenAsTheLongestThereIs() {
    TaskDefinition endless =
        TaskDefinition.builder("p", TaskKind.HTTP)
            .timeout(Duration.ofSeconds(Long.MAX_VALUE))
            .build();

    assertThat(TaskDefinitionCodec.parse("p", TaskDefinitionCodec.format(endless)).timeout())
        .isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
  }

  @Test
  void aBuilderOfADefinitionHasItsValuesAndChangesOnlyTheCopy() {
    assertThat(full().toBuilder().build()).isEqualTo(full());
    TaskDefinition plain = TaskDefinition.builder("p", TaskKind.HTTP).build();
    assertThat(plain.toBuilder().build()).isEqualTo(plain);
    TaskDefinition changed = full().toBuilder().maxRun(9).build();
    assertThat(changed.maxRun()).isEqualTo(9);
    assertThat(changed.toBuilder().maxRun(full().maxRun()).build()).isEqualTo(full());
  }

  @Test
  void fieldsOfANewerVersionAreSkipped() {
    assertThat(TaskDefinitionCodec.parse("p", "kind=cmd\nqueue=p\nshape=round\n"))
        .isEqualTo(TaskDefinition.builder("p", TaskKind.CMD).build());
  }

  @Test
  void tasksAreEnqueuedAsDefined() {
    TaskOptions options = full().options();
    assertThat(options.queue()).isEqualTo(full().queue());
    assertThat(options.maxRetry()).isZero();
    assertThat(options.timeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(options.retention()).isEqualTo(Duration.ofDays(1));
    assertThat(options.uniqueFor()).isEqualTo(Duration.ofHours(1));
    assertThat(full().type(Map.class).options()).isEqualTo(options);
  }

  @Test
  void impossibleValuesAreRefused() {
    TaskDefinition.Builder builder = TaskDefinition.builder("p", TaskKind.HTTP);
    assertThatThrownBy(() -> builder.maxRun(-1).build()).hasMessageContaining("maxRun");
    assertThatThrownBy(
            () -> TaskDefinition.builder("p", TaskKind.HTTP).timeout(Duration.ZERO).build())
        .hasMessageContaining("timeout must be positive");
    assertThatThrownBy(
            () ->
                TaskDefinitions.requireOwnQueues(
                    Map.of(
                        "a", TaskDefinition.builder("a", TaskKind.HTTP).queue("q").build(),
                        "q", TaskDefinition.builder("q", TaskKind.HTTP).build())))
        .hasMessageContaining("[a, q]")
        .hasMessageContaining("\"q\"");
  }
}
