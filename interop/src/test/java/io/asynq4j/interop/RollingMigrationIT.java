package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.interop.peer.GoPeer;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** One side is replaced by the other while a queue has tasks in every state, and back again. */
@ForEachSetup
class RollingMigrationIT extends InteropTestBase {

  private static final Duration SHORT = Duration.ofSeconds(2);

  /** Time in which either side would have claimed a task if the queue were not paused. */
  private static final Duration A_LOOK = Duration.ofMillis(300);

  @Test
  void eachSideFinishesTasksOfTheOther() {
    leaveAndFinish(Side.GO, "go");
    leaveAndFinish(Side.JAVA, "java");
    leaveAndFinish(Side.GO, "again");
    assertTheDoctorFindsNothingOfTheDead();
  }

  private void leaveAndFinish(Side leaving, String name) {
    Left left = new Left(name, Instant.now().truncatedTo(ChronoUnit.SECONDS));
    leave(leaving, left);
    assertIsRefusedAsDuplicate(leaving.other(), left.unique("twice"));
    if (leaving == Side.GO) {
      finishWithOurs(left);
    } else {
      finishWithGo(left);
    }
  }

  /** The tasks that one side leaves to the other. */
  private final class Left {
    private final String name;
    private final Instant begin;

    private Left(String name, Instant begin) {
      this.name = name;
      this.begin = begin;
    }

    private String id(String what) {
      return name + "-" + what;
    }

    /** Those that the replaced side runs. */
    List<GoTask> begun() {
      return List.of(
          GoTask.of(id("retry"), "fail broken").maxRetry(1).build(),
          SampleTasks.text(id("archived"), "archive why"),
          GoTask.of(id("completed"), "result what").retention(SHORT).build(),
          SampleTasks.text(id("active"), "sleep 2000ms"));
    }

    /** Those that the other side must see as they were enqueued. */
    List<GoTask> untouched() {
      Map<String, String> headers =
          setting.go().knowsHeaders() ? Map.of("trace", name, "leer", "") : Map.of();
      return List.of(
          SampleTasks.text(id("pending"), "x"),
          GoTask.of(id("scheduled"), "x").processIn(SHORT).build(),
          unique("unique"),
          GoTask.of(id("headed"), "x").headers(headers).build(),
          GoTask.of(id("limited"), "x").deadline(begin.plus(HOUR)).build());
    }

    List<GoTask> grouped() {
      return List.of(
          GoTask.of(id("grouped-1"), "x").group(GROUP).build(),
          GoTask.of(id("grouped-2"), "x").group(GROUP).build());
    }

    GoTask unique(String what) {
      return GoTask.of(id(what), "only one " + name).unique(HOUR).build();
    }
  }

  /** A task in every state, by one side alone, in a queue that is paused then. */
  private void leave(Side side, Left left) {
    QueueSnapshot before = inspector.queues().isEmpty() ? null : stats();
    long processed = before == null ? 0 : before.processed();
    long failed = before == null ? 0 : before.failed();
    enqueue(side, left.begun());
    try (WorkerProcess worker = side == Side.GO ? goWorker("-retry-delay", "2s") : javaWorker()) {
      soon(() -> assertCounted(processed + 3, failed + 2));
      worker.await("started", left.id("active"));
      worker.kill();
      assertThat(worker.events("started"))
          .extracting(WorkerProcess.Event::id)
          .containsExactlyInAnyOrderElementsOf(left.begun().stream().map(GoTask::id).toList());
    }
    assertThat(resultAsSeenBy(side.other(), left.id("completed"))).isEqualTo("what");
    enqueue(side, left.untouched());
    enqueue(side, left.grouped());
    for (TaskState state : TaskState.values()) {
      assertThat(stats().size(state)).as("%s", state).isPositive();
    }
    pause(side);
    ageLease(left.id("active"));
  }

  private void finishWithOurs(Left left) {
    QueueSnapshot before = stats();
    Queue<WorkerProcess.Event> seen = new ConcurrentLinkedQueue<>();
    try (TaskServer server =
        javaServer()
            .groups(groups -> groups.grace(Duration.ofSeconds(1)).aggregator(SampleTasks::join))
            .handlers(new PayloadDrivenHandler(seen::add))
            .build()) {
      server.start();
      finish(Side.JAVA, left, before, () -> List.copyOf(seen));
    }
  }

  private void finishWithGo(Left left) {
    QueueSnapshot before = stats();
    try (WorkerProcess go = goWorker("-retry-delay", "1s", "-group-size", "100")) {
      finish(Side.GO, left, before, () -> go.events("started"));
    }
  }

  private void finish(
      Side side, Left left, QueueSnapshot before, Supplier<List<WorkerProcess.Event>> seen) {
    // Go counts a task that it recovers from a dead worker as one more failure.
    int recovered = side == Side.GO ? 1 : 0;
    soon(() -> assertThat(stats().size(TaskState.ACTIVE)).isZero());
    Awaitility.await().during(A_LOOK).until(() -> seen.get().isEmpty());
    assertThat(stats().paused()).isTrue();
    unpause(side);

    soon(() -> assertThat(seen.get()).hasSize(8));
    run(side, left.id("archived"));
    soon(() -> assertThat(seen.get()).hasSize(9));
    soon(() -> assertThat(stats().size(TaskState.ACTIVE)).isZero());
    enqueue(side, List.of(left.unique("after")));
    soon(() -> assertThat(seen.get()).hasSize(10));
    // Two have given up for good, and what was completed is gone.
    soon(() -> assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(2));
    soon(() -> assertThat(stats().size()).isEqualTo(2));
    assertCounted(before.processed() + 10 + recovered, before.failed() + 2 + recovered);
    assertAllSeenOnce(left, seen.get(), recovered);

    assertThat(task(left.id("retry")).retried()).isEqualTo(1);
    assertThat(task(left.id("retry")).lastError()).isEqualTo("broken");
    inspector.queue(Q).deleteAll(TaskState.ARCHIVED);
    assertThat(stats().size()).isZero();
  }

  /** With the values of each before the migration. */
  private void assertAllSeenOnce(Left left, List<WorkerProcess.Event> seen, int recovered) {
    List<GoTask> untouched = new ArrayList<>(left.untouched());
    untouched.add(left.unique("after"));
    List<String> ids = new ArrayList<>(untouched.stream().map(GoTask::id).toList());
    ids.addAll(List.of(left.id("retry"), left.id("archived"), left.id("active")));
    List<WorkerProcess.Event> joined =
        seen.stream().filter(event -> !ids.contains(String.valueOf(event.id()))).toList();
    assertThat(joined).hasSize(1);
    SampleTasks.assertJoined(left.grouped(), joined.get(0));
    ids.add(String.valueOf(joined.get(0).id()));
    assertThat(seen).extracting(WorkerProcess.Event::id).containsExactlyInAnyOrderElementsOf(ids);

    for (GoTask task : untouched) {
      SampleTasks.assertSeen(task, only(seen, task.id()), left.begin, Instant.now());
    }
    assertThat(only(seen, left.id("retry")).retried()).isEqualTo(1);
    assertThat(only(seen, left.id("active")).retried()).isEqualTo(recovered);
  }

  private static WorkerProcess.Event only(List<WorkerProcess.Event> seen, String id) {
    return seen.stream().filter(event -> id.equals(event.id())).findFirst().orElseThrow();
  }

  private void assertCounted(long processed, long failed) {
    QueueSnapshot now = stats();
    assertThat(List.of(now.processed(), now.failed())).isEqualTo(List.of(processed, failed));
  }

  private void assertIsRefusedAsDuplicate(Side side, GoTask task) {
    if (side == Side.GO) {
      assertThat(goEnqueues(task)).extracting(GoPeer.Answer::status).containsExactly("duplicate");
    } else {
      assertThat(weEnqueue(task)).hasOnlyElementsOfType(EnqueueResult.Duplicate.class);
    }
  }

  private String resultAsSeenBy(Side side, String id) {
    return side == Side.GO
        ? new String(
            Base64.getDecoder().decode(String.valueOf(goSeesTask(Q, id).result())),
            StandardCharsets.UTF_8)
        : task(id).result().utf8();
  }

  private void pause(Side side) {
    if (side == Side.GO) {
      goDoes("pause", Q);
    } else {
      inspector.queue(Q).pause();
    }
  }

  private void unpause(Side side) {
    if (side == Side.GO) {
      goDoes("unpause", Q);
    } else {
      inspector.queue(Q).resume();
    }
  }

  private void run(Side side, String id) {
    if (side == Side.GO) {
      goDoes("run", Q, id);
    } else {
      inspector.queue(Q).run(id);
    }
  }
}
