package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.TaskMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TaskOptionsTest {

  @Test
  void theLastValueOfAKindWins() {
    assertThat(TaskOptions.of(o -> o.maxRetry(2).maxRetry(10)).maxRetry()).isEqualTo(10);
  }

  @Test
  void optionsOfACallWinOverThoseOfTheTypeAndHeadersArePutTogether() {
    TaskOptions type =
        TaskOptions.of(
            o ->
                o.queue("mail")
                    .maxRetry(5)
                    .processIn(Duration.ofHours(1))
                    .header("a", "1")
                    .header("b", "1"));
    TaskOptions call =
        TaskOptions.of(o -> o.queue("urgent").processAt(Instant.EPOCH).header("b", "2"));

    assertThat(type.overriddenBy(call))
        .isEqualTo(
            TaskOptions.of(
                o ->
                    o.queue("urgent")
                        .maxRetry(5)
                        .processAt(Instant.EPOCH)
                        .header("a", "1")
                        .header("b", "2")));
    assertThat(TaskOptions.defaults().overriddenBy(type)).isEqualTo(type);
    assertThat(type.overriddenBy(TaskOptions.defaults())).isEqualTo(type);
  }

  @Test
  void whatCannotBeMeantIsRefusedWithTheValueInTheMessage() {
    refused(o -> o.maxRetry(-2), "maxRetry must be 0 or greater, got -2");
    refused(o -> o.timeout(Duration.ZERO), "timeout must be positive, got PT0S");
    refused(o -> o.timeout(Duration.ofSeconds(-1)), "timeout must be positive, got PT-1S");
    refused(o -> o.retention(Duration.ofSeconds(-1)), "retention must not be negative, got PT-1S");
    refused(
        o -> o.uniqueFor(Duration.ofMillis(300)),
        "uniqueFor must be 1 second or longer, got PT0.3S");
    refused(o -> o.deadline(Instant.EPOCH), "deadline must be after 1970");
    refused(o -> o.processIn(Duration.ofSeconds(-1)), "processIn must not be negative");
    refused(
        o -> o.processAt(Instant.EPOCH).processIn(Duration.ZERO),
        "set either processAt or processIn, not both: 1970-01-01T00:00:00Z, PT0S");
    refused(o -> o.id(" "), "task id must contain one or more characters");
    refused(o -> o.group(""), "group must contain one or more characters");
    refused(o -> o.queue("  "), "queue name must contain one or more characters");
    refused(o -> o.header("k", "\ud800"), "value of header k is not valid Unicode text");
  }

  @Test
  void timesBeyondAllCalendarsAreRefusedAndAllOthersTaken() {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    refused(o -> o.processAt(Instant.MAX), "processAt must not be after 9999-12-31T23:59:59Z");
    refused(o -> o.processIn(forever), "processIn must be at most 2900000 days");
    refused(o -> o.uniqueFor(forever), "uniqueFor must be at most 2900000 days");

    TaskOptions endless =
        TaskOptions.of(o -> o.deadline(Instant.MAX).timeout(forever).retention(forever));
    TaskMessage message = NewTask.of(Task.of("t"), endless, Instant.EPOCH).message();
    assertThat(message.timeout()).isEqualTo(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(message.retention()).isEqualTo(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(message.endOfAttempt(Instant.EPOCH)).isAfter(Instant.EPOCH);
    assertThat(TaskOptions.of(o -> o.processAt(TaskOptions.LATEST_TIME)).processAt()).isNotNull();
    assertThat(TaskOptions.of(o -> o.processAt(Instant.MIN)).processAt()).isEqualTo(Instant.MIN);
  }

  private static void refused(UnaryOperator<TaskOptions.Builder> options, String message) {
    assertThatThrownBy(() -> TaskOptions.of(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aTaskNeedsATypeAndKeepsItsHeadersToItself() {
    assertThatThrownBy(() -> Task.of(" "))
        .hasMessageContaining("task type must contain one or more characters");
    Map<String, String> headers = new java.util.HashMap<>(Map.of("a", "1"));

    Task task = Task.of("t").withHeaders(headers);
    headers.put("b", "2");

    assertThat(task.headers()).containsOnly(Map.entry("a", "1"));
  }

  @Test
  void aQueueNameThatWouldSpreadOverSlotsIsRefused() {
    assertThatThrownBy(() -> QueueName.of("}x")).hasMessageContaining("must not begin with '}'");
    assertThat(QueueName.of("a}b:{c}").value()).isEqualTo("a}b:{c}");
    assertThat(QueueName.of("MyQueue")).isNotEqualTo(QueueName.of("myqueue"));
  }

  @Test
  void anAbsentPayloadIsNotAnEmptyOneAndNeitherShowsItsBytes() {
    assertThat(Payload.absent()).isNotEqualTo(Payload.of(new byte[0]));
    assertThat(Payload.ofUtf8("secret"))
        .isEqualTo(Payload.of("secret".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    assertThat(Payload.ofUtf8("secret")).hasToString("Payload[6 bytes]");
  }

  @Test
  void aStateIsKnownByItsWord() {
    assertThat(TaskState.ofWord("aggregating")).isEqualTo(TaskState.AGGREGATING);
    assertThatThrownBy(() -> TaskState.ofWord("dead"))
        .hasMessageContaining("\"dead\" is not a task state; the states are active, pending");
  }
}
