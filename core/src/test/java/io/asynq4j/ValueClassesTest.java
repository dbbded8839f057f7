package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Classes of values: equal by their values, copied by their builders, readable as text. */
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
    assertThat(options.toBuilder().build()).isEqualTo(options).hasSameHashCodeAs(options);
    TaskDefinition definition =
        TaskDefinition.builder("mail", TaskKind.WORKER).maxRetry(1).maxRun(2).build();
    assertThat(definition.toBuilder().build()).isEqualTo(definition).hasSameHashCodeAs(definition);
    WorkerSnapshot worker =
        WorkerSnapshot.builder("1").taskType("t").queue("q").started(NOON).deadline(NOON).build();
    assertThat(worker.toBuilder().build()).isEqualTo(worker);
    ServerSnapshot server =
        ServerSnapshot.builder("s")
            .host("h")
            .pid(7)
            .concurrency(5)
            .queues(Map.of("q", 1))
            .strictPriority(true)
            .started(NOON)
            .heartbeatAge(Duration.ofSeconds(1))
            .activeWorkers(1)
            .workers(List.of(worker))
            .build();
    assertThat(server.toBuilder().build()).isEqualTo(server);
    QueueSnapshot queue =
        QueueSnapshot.builder("q", NOON)
            .sizes(Map.of(TaskState.PENDING, 2L))
            .groups(1)
            .processedToday(2)
            .failedToday(1)
            .processed(4)
            .failed(3)
            .oldestPendingSince(NOON)
            .pausedSince(NOON)
            .build();
    assertThat(queue.toBuilder().build()).isEqualTo(queue);
    ScheduleSnapshot schedule =
        ScheduleSnapshot.builder("e", "@daily")
            .taskType("t")
            .taskPayload(Payload.ofUtf8("p"))
            .options(options)
            .unreadOptions(List.of("Odd(1)"))
            .next(NOON)
            .previous(NOON)
            .pausedSince(NOON)
            .isLive(true)
            .isRemembered(true)
            .problem("broken")
            .build();
    assertThat(schedule.toBuilder().build()).isEqualTo(schedule);
    BulkReport report =
        BulkReport.builder()
            .looked(5)
            .matched(4)
            .done(3)
            .failed(1)
            .failures(List.of(new BulkReport.Failure("1", "gone")))
            .cursor("c")
            .problem("p")
            .dropped(2)
            .build();
    assertThat(report.toBuilder().build()).isEqualTo(report);
    Diagnosis diagnosis =
        Diagnosis.builder(NOON, NOON).examined(3).problems(List.of("p")).resumeFrom("r").build();
    assertThat(diagnosis.toBuilder().build()).isEqualTo(diagnosis);
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
        .hasToString("Task[type=t, payload=Payload[6 bytes], headers={a=b}]");
    assertThat(WorkerSnapshot.builder("1").build())
        .hasToString(
            "WorkerSnapshot[taskId=1, taskType=, taskPayload=Payload[absent], queue=, started=null,"
                + " deadline=null, problem=null]");
  }
}
