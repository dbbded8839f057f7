package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.interop.peer.GoPeer.Answer;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What one side enqueues, the other processes. */
@ForEachSetup
class EnqueueAndProcessIT extends InteropTestBase {

  private static final int RUNS = 100 - SampleTasks.GROUPED + 1;

  @Test
  void goEnqueuesAndWeProcess() {
    Instant enqueued = redis.clock().instant();
    List<GoTask> tasks = SampleTasks.hundred(setting.go(), enqueued);
    assertThat(goEnqueues(tasks)).extracting(Answer::status).containsOnly("enqueued");

    List<WorkerProcess.Event> seen = new CopyOnWriteArrayList<>();
    try (TaskServer server =
        javaServer()
            .concurrency(10)
            .handlers(new PayloadDrivenHandler(seen::add))
            .groups(groups -> groups.maxSize(SampleTasks.GROUPED).aggregator(SampleTasks::join))
            .build()) {
      server.start();
      soon(() -> assertThat(seen).hasSize(RUNS));
      soon(this::assertOnlyKeptTasksAreLeft);
    }
    assertEachSeenOnce(tasks, seen, enqueued);
    assertLocksAreFree(tasks);
  }

  @Test
  void weEnqueueAndGoProcesses() {
    Instant enqueued = redis.clock().instant();
    List<GoTask> tasks = SampleTasks.hundred(setting.go(), enqueued);
    assertThat(weEnqueue(tasks)).allMatch(EnqueueResult::isEnqueued);

    try (WorkerProcess go =
        goWorker("-concurrency", "10", "-group-size", "" + SampleTasks.GROUPED)) {
      go.awaitCount("finished", RUNS);
      soon(this::assertOnlyKeptTasksAreLeft);
      assertEachSeenOnce(tasks, go.events("started"), enqueued);
      assertThat(go.events("finished")).extracting(WorkerProcess.Event::error).containsOnlyNulls();
    }
    assertLocksAreFree(tasks);
  }

  private void assertOnlyKeptTasksAreLeft() {
    assertThat(stats().size(TaskState.COMPLETED)).isEqualTo(SampleTasks.KEPT);
    assertThat(stats().size()).isEqualTo(SampleTasks.KEPT);
    assertNothingIsActive();
  }

  private void assertEachSeenOnce(
      List<GoTask> tasks, List<WorkerProcess.Event> seen, Instant enqueued) {
    assertThat(seen).extracting(WorkerProcess.Event::id).doesNotHaveDuplicates().hasSize(RUNS);
    Map<String, WorkerProcess.Event> byId = new HashMap<>();
    seen.forEach(event -> byId.put(String.valueOf(event.id()), event));
    Instant now = redis.clock().instant();
    List<GoTask> members = new ArrayList<>();
    for (GoTask task : tasks) {
      if (task.group().isEmpty()) {
        assertThat(byId).containsKey(task.id());
        SampleTasks.assertSeen(task, Objects.requireNonNull(byId.remove(task.id())), enqueued, now);
      } else {
        members.add(task);
      }
      if (task.retention() != 0) {
        assertThat(task(task.id()).state()).isEqualTo(TaskState.COMPLETED);
        assertThat("result " + task(task.id()).result().utf8()).isEqualTo(task.bytes().utf8());
      }
    }
    assertThat(byId).hasSize(1);
    SampleTasks.assertJoined(members, byId.values().iterator().next());
  }

  /** After a unique task is done, either side can enqueue an equal one. */
  private void assertLocksAreFree(List<GoTask> tasks) {
    List<GoTask> unique = tasks.stream().filter(task -> task.unique() != 0).toList();
    assertThat(goEnqueues(unique.subList(0, 7)))
        .extracting(Answer::status)
        .containsOnly("enqueued");
    assertThat(weEnqueue(unique.subList(7, 15))).allMatch(EnqueueResult::isEnqueued);
  }

  @Test
  void aUniqueTaskOfOneSideBlocksAnEqualOneOfTheOther() {
    List<Payload> payloads =
        List.of(Payload.absent(), Payload.ofUtf8(""), Payload.of(new byte[] {0, -1, 10, 13}));
    List<GoTask> first = new ArrayList<>();
    List<GoTask> second = new ArrayList<>();
    List<EnqueueResult> duplicates = new ArrayList<>();
    for (int i = 0; i < payloads.size(); i++) {
      first.add(GoTask.of("first-" + i, payloads.get(i)).unique(HOUR).build());
      second.add(GoTask.of("second-" + i, payloads.get(i)).unique(HOUR).build());
      duplicates.add(new EnqueueResult.Duplicate(QueueName.of(Q), "kind", "first-" + i));
    }

    assertThat(goEnqueues(first)).extracting(Answer::status).containsOnly("enqueued");
    assertThat(weEnqueue(second)).isEqualTo(duplicates);

    inspector.queue(Q).delete(List.of("first-0", "first-1", "first-2"));
    assertThat(weEnqueue(second)).allMatch(EnqueueResult::isEnqueued);
    assertThat(goEnqueues(first)).extracting(Answer::status).containsOnly("duplicate");
    goDoes("delete", Q, "second-0");
    assertThat(goEnqueues(first))
        .extracting(Answer::status)
        .containsExactly("enqueued", "duplicate", "duplicate");
    assertTheDoctorFindsNothing();
  }

  @Test
  void anIdThatOneSideHasTakenIsTakenForTheOther() {
    GoTask task = SampleTasks.text("mine", "x");
    GoTask later = GoTask.of("yours", "x").processIn(HOUR).build();

    weEnqueue(task);
    assertThat(goEnqueues(task, later))
        .extracting(Answer::status)
        .containsExactly("conflict", "enqueued");
    assertThat(weEnqueue(later))
        .containsExactly(new EnqueueResult.IdConflict(QueueName.of(Q), "yours"));
  }

  @Test
  void theIdOfARetainedOrArchivedTaskIsTaken() {
    for (Side side : Side.values()) {
      List<GoTask> tasks =
          List.of(
              SampleTasks.kept(side + "-kept", "x"),
              SampleTasks.text(side + "-archived", "archive it"));
      enqueue(side, tasks);
      process(side, Q);
      if (side == Side.GO) {
        assertThat(weEnqueue(tasks))
            .containsExactly(
                new EnqueueResult.IdConflict(QueueName.of(Q), "GO-kept"),
                new EnqueueResult.IdConflict(QueueName.of(Q), "GO-archived"));
      } else {
        assertThat(goEnqueues(tasks)).extracting(Answer::status).containsOnly("conflict");
      }
      assertThat(task(side + "-kept").state()).isEqualTo(TaskState.COMPLETED);
      assertThat(task(side + "-archived").state()).isEqualTo(TaskState.ARCHIVED);
    }
  }

  @Test
  void bothSidesEnqueueToTheDefaultQueueWithARandomIdByDefault() {
    GoTask task = GoTask.of("", "x").queue("").retention(HOUR).build();
    Map<Side, String> ids =
        Map.of(
            Side.GO, goEnqueues(task).get(0).id(),
            Side.JAVA, client.enqueue(task.task(), task.options()).orThrow().id());
    ids.forEach(
        (side, id) -> {
          assertThat(UUID.fromString(id).version()).as("%s", side).isEqualTo(4);
          assertThat(goSeesTask("default", id))
              .isEqualTo(GoTaskInfo.of(inspector.queue("default").task(id)));
        });

    try (WorkerProcess go = peer.work("default", "-concurrency", "1")) {
      go.awaitCount("finished", 2);
      assertThat(go.events("started"))
          .extracting(WorkerProcess.Event::id)
          .containsExactly(ids.get(Side.GO), ids.get(Side.JAVA));
      soon(
          () ->
              assertThat(inspector.queue("default").snapshot().size(TaskState.COMPLETED))
                  .isEqualTo(2));
    }
    String next = goEnqueues(task).get(0).id();
    process(Side.JAVA, "default");
    assertThat(inspector.queue("default").task(next).state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void goBeforeHeadersDropsOursWhenItWritesAMessageAgain() {
    weEnqueue(GoTask.of("headed", "fail broken").headers(Map.of("trace", "1")).build());
    try (WorkerProcess go = goWorker("-retry-delay", "1h")) {
      go.await("finished", "headed");
      soon(() -> assertThat(task("headed").state()).isEqualTo(TaskState.RETRY));
    }
    assertThat(task("headed").headers())
        .isEqualTo(setting.go().knowsHeaders() ? Map.of("trace", "1") : Map.of());
  }

  @Test
  void scheduledTasksNeverRunEarlyExceptPreciseOnesInGo() {
    Duration delay = Duration.ofMillis(1300);
    for (Side side : Side.values()) {
      Instant due = redis.clock().instant().plus(delay);
      weEnqueue(GoTask.of(side + "-plain", "x").processIn(delay).build());
      client.enqueue(
          Task.of("kind"), o -> o.queue(Q).id(side + "-precise").processIn(delay).precise());
      Map<String, Instant> started = new ConcurrentHashMap<>();
      if (side == Side.JAVA) {
        try (TaskServer server =
            javaServer()
                .handlers(
                    new PayloadDrivenHandler(
                        event -> started.put(String.valueOf(event.id()), redis.clock().instant())))
                .build()) {
          server.start();
          soon(() -> assertThat(started).hasSize(2));
        }
        assertThat(started.get("JAVA-precise")).isAfterOrEqualTo(due);
      } else {
        try (WorkerProcess go = goWorker()) {
          for (String id : List.of("GO-precise", "GO-plain")) {
            started.put(id, Instant.ofEpochMilli(go.await("started", id).at()));
          }
        }
        assertThat(started.get("GO-precise")).isAfter(due.minusSeconds(1));
      }
      assertThat(started.get(side + "-plain")).isAfterOrEqualTo(due);
    }
  }
}
