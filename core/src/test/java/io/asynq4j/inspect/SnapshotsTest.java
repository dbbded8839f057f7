package io.asynq4j.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Snapshots and reports have the values that they were built with, and are equal by them. */
class SnapshotsTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private static Instant at(int seconds) {
    return NOON.plusSeconds(seconds);
  }

  private static WorkerSnapshot worker(String queue) {
    return WorkerSnapshot.builder("1")
        .taskType("t")
        .taskPayload(Payload.ofUtf8("secret"))
        .queue(queue)
        .started(at(1))
        .deadline(at(2))
        .problem("broken")
        .build();
  }

  private static ServerSnapshot server() {
    return ServerSnapshot.builder("s")
        .host("h")
        .pid(7)
        .concurrency(5)
        .queues(Map.of("q", 1, "r", 2))
        .strictPriority(true)
        .status("stopped")
        .started(at(1))
        .heartbeatAge(Duration.ofSeconds(1))
        .activeWorkers(3)
        .workers(List.of(worker("q"), worker("r")))
        .problem("broken")
        .build();
  }

  @Test
  void aWorkerIsReadableAsTextWithoutItsPayload() {
    assertThat(worker("q")).isEqualTo(worker("q")).hasSameHashCodeAs(worker("q"));
    assertThat(worker("q"))
        .hasToString(
            "Worker[taskId=1, taskType=t, taskPayload=Payload[6 bytes], queue=q,"
                + " started=2030-01-01T12:00:01Z, deadline=2030-01-01T12:00:02Z, problem=broken]");
    assertThat(worker("q")).isNotEqualTo(worker("r"));
    assertThat(WorkerSnapshot.builder("1").build())
        .hasToString(
            "Worker[taskId=1, taskType=, taskPayload=Payload[absent], queue=, started=null,"
                + " deadline=null, problem=null]");
  }

  @Test
  void aServerHasItsValues() {
    assertThat(server()).isEqualTo(server()).hasSameHashCodeAs(server());
    assertThat(server().toString())
        .startsWith("Server[id=s, host=h, pid=7, concurrency=5, queues={")
        .contains(
            "strictPriority=true, status=stopped, started=2030-01-01T12:00:01Z, heartbeatAge=PT1S,"
                + " activeWorkers=3, workers=[Worker[")
        .endsWith("problem=broken]");
  }

  @Test
  void namesOfQueuesAreAcceptedAsTextAndAsQueueName() {
    assertThat(ServerSnapshot.builder("s").queue(QueueName.of("q"), 2).build())
        .isEqualTo(ServerSnapshot.builder("s").queues(Map.of("q", 2)).build());
    assertThat(WorkerSnapshot.builder("1").queue(QueueName.of("q")).build())
        .isEqualTo(WorkerSnapshot.builder("1").queue("q").build());
    assertThat(QueueSnapshot.builder(QueueName.of("q"), NOON).build())
        .isEqualTo(QueueSnapshot.builder("q", NOON).build());
  }

  @Test
  void aQueueHasItsValues() {
    QueueSnapshot queue =
        QueueSnapshot.builder("q", NOON)
            .sizes(Map.of(TaskState.PENDING, 2L))
            .groups(1)
            .processedToday(2)
            .failedToday(3)
            .processed(4)
            .failed(5)
            .oldestPendingSince(at(-6))
            .pausedSince(at(7))
            .build();
    assertThat(queue)
        .hasToString(
            "Queue[queue=q, at=2030-01-01T12:00:00Z, sizes={PENDING=2}, groups=1, processedToday=2,"
                + " failedToday=3, processed=4, failed=5, oldestPendingSince=2030-01-01T11:59:54Z,"
                + " pausedSince=2030-01-01T12:00:07Z]");
    assertThat(queue.latency()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void aScheduleEntryHasItsValues() {
    TaskOptions options = TaskOptions.of(o -> o.queue("mail"));
    ScheduleSnapshot entry =
        ScheduleSnapshot.builder("e", "@daily")
            .taskType("t")
            .taskPayload(Payload.ofUtf8("p"))
            .options(options)
            .unreadOptions(List.of("Odd(1)"))
            .next(at(1))
            .previous(at(2))
            .pausedSince(at(3))
            .isLive(true)
            .isRemembered(true)
            .problem("broken")
            .build();
    assertThat(entry.toString())
        .startsWith("Entry[id=e, spec=@daily, taskType=t, taskPayload=Payload[1 bytes], options=")
        .endsWith(
            "unreadOptions=[Odd(1)], next=2030-01-01T12:00:01Z, previous=2030-01-01T12:00:02Z,"
                + " pausedSince=2030-01-01T12:00:03Z, isLive=true, isRemembered=true,"
                + " problem=broken]");
    assertThat(entry.options()).isEqualTo(options);
  }

  @Test
  void aReportHasItsValues() {
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
    assertThat(report)
        .hasToString(
            "Report[looked=5, matched=4, done=3, failed=1, failures=[Failure[id=1, problem=gone]],"
                + " cursor=c, problem=p, dropped=2]");
    assertThat(report.isComplete()).isFalse();
  }

  @Test
  void aDiagnosisIsHealthyIfEverythingWasExaminedAndRepaired() {
    Finding repaired = Finding.of(FindingKind.STALE_LOCK, QueueName.of("q"), 2, 2, List.of("a"));
    Finding left = Finding.of(FindingKind.STALE_LOCK, QueueName.of("q"), 2, 1, List.of("a"));
    assertThat(Diagnosis.of(NOON, NOON, 3, List.of(repaired), List.of(), null).isHealthy())
        .isTrue();
    assertThat(Diagnosis.of(NOON, NOON, 3, List.of(left), List.of(), null).isHealthy()).isFalse();
    assertThat(Diagnosis.of(NOON, NOON, 3, List.of(), List.of("p"), null).isComplete()).isFalse();
    assertThat(Diagnosis.of(NOON, NOON, 3, List.of(), List.of(), "r").isComplete()).isFalse();
  }
}
