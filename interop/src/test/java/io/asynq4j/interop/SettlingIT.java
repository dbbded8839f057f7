package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.interop.peer.GoPeer.Answer;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.GoVersion;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** Both sides store and count the same for each outcome. */
@ForEachSetup
class SettlingIT extends InteropTestBase {

  /** How many of {@link #tasks} are kept. */
  private static final int KEPT = 4;

  /** How many of them fail. */
  private static final int FAILED = 8;

  private List<GoTask> tasks() {
    List<GoTask> tasks =
        new ArrayList<>(
            List.of(
                SampleTasks.text("done", "x"),
                SampleTasks.kept("kept", "x"),
                SampleTasks.kept("result", "result größe \u0000 ÿ"),
                SampleTasks.kept("binary result", "bytes 00ff80fe0a0dc328"),
                GoTask.of("unique done", "done").unique(HOUR).build(),
                GoTask.of("unique kept", "kept").unique(HOUR).retention(HOUR).build(),
                GoTask.of("retry", "fail broken").build(),
                GoTask.of("unique retry", "fail größe").unique(HOUR).build(),
                GoTask.of("kept retry", "fail again").retention(HOUR).maxRetry(1).build(),
                SampleTasks.text("archived", "archive für immer"),
                GoTask.of("unique archived", "archive it").unique(HOUR).build(),
                GoTask.of("late", "sleep 600000ms").timeout(Duration.ofSeconds(1)).build(),
                GoTask.of("late for good", "sleep 600000ms")
                    .timeout(Duration.ofSeconds(1))
                    .maxRetry(0)
                    .build(),
                GoTask.of("exhausted", "fail at once").maxRetry(0).build()));
    if (setting.go().revokes()) {
      tasks.add(SampleTasks.kept("revoked", "revoke"));
    }
    return tasks;
  }

  @Test
  void equalOutcomesLeaveEqualTasksAndStatistics() {
    List<GoTask> tasks = tasks();
    assertThat(weEnqueue(tasks)).allMatch(EnqueueResult::isEnqueued);
    process(Side.GO, Q);
    assertBothCount(tasks);
    QueueDump go = dump();
    assertThat(go.keptFor().values()).hasSize(KEPT).containsOnly((double) HOUR.toSeconds());

    store.clear();
    assertThat(goEnqueues(tasks)).extracting(Answer::status).containsOnly("enqueued");
    long before = now();
    process(Side.JAVA, Q);
    assertBothCount(tasks);
    assertWeKeepNothingForLessThanItsTime(before);
    // Go does not change the failures that we store besides the last error.
    QueueDump ours = dump().without(place -> place.endsWith("/failures"));
    QueueDump.assertSame(ours, go, Set.of());
    assertTheDoctorFindsNothing();
  }

  /** The error texts differ; everything else is equal. */
  @Test
  void aPanicIsAFailureLikeAnyOther() {
    List<GoTask> tasks =
        List.of(
            SampleTasks.text("retry", "panic größe"),
            GoTask.of("exhausted", "panic at once").maxRetry(0).build());
    List<List<GoTaskInfo>> left = new ArrayList<>();
    for (Side side : Side.values()) {
      store.clear();
      enqueue(side.other(), tasks);
      process(side, Q);
      assertThat(stats().failed()).isEqualTo(2);
      assertThat(task("retry").lastError()).contains("größe");
      assertThat(task("exhausted").lastError()).contains("at once");
      List<GoTaskInfo> seen = new ArrayList<>();
      for (TaskState state : List.of(TaskState.RETRY, TaskState.ARCHIVED)) {
        List<GoTaskInfo> go = goSees(GoTaskInfo.class, "list", Q, state.word());
        assertThat(go).hasSize(1);
        assertThat(listed(Q, state).stream().map(GoTaskInfo::of)).containsExactlyElementsOf(go);
        seen.addAll(go);
      }
      left.add(seen.stream().map(GoTaskInfo::withoutFailure).toList());
    }
    assertThat(left.get(0)).isEqualTo(left.get(1));
  }

  private void assertBothCount(List<GoTask> tasks) {
    assertThat(stats().processed()).isEqualTo(tasks.size());
    assertThat(stats().failed()).isEqualTo(FAILED);
    JsonNode go = goSees(JsonNode.class, "queue", Q).get(0);
    assertThat(go.get("ProcessedTotal").asLong()).isEqualTo(tasks.size());
    assertThat(go.get("FailedTotal").asLong()).isEqualTo(FAILED);
  }

  /** To the end of the second in which it would be over; Go cuts both of its times to seconds. */
  private void assertWeKeepNothingForLessThanItsTime(long before) {
    long hour = HOUR.toSeconds();
    QueueDump ours = dump();
    // One more if the next second began while it was settled.
    assertThat(ours.keptFor().values())
        .hasSize(KEPT)
        .allSatisfy(kept -> assertThat(kept).isBetween((double) hour, hour + 2.0));
    long after = now();
    ours.keptFor()
        .keySet()
        .forEach(
            id ->
                assertThat(ours.times().get("completed/" + id))
                    .isBetween(before + hour + 0.0, after + 1.0 + hour));
  }

  /** Unix seconds, by the clock of Redis. */
  private long now() {
    try (Jedis jedis = jedis()) {
      return Long.parseLong(jedis.time().get(0));
    }
  }

  @Test
  void eachSideDeletesRetainedTasksOfTheOtherWhenTheirRetentionEnds() {
    for (Side keeper : Side.values()) {
      List<String> ids = List.of(keeper + " over", keeper + " nearly", keeper + " kept");
      enqueue(keeper.other(), ids.stream().map(id -> SampleTasks.kept(id, "x")).toList());
      process(keeper, Q);
      try (Jedis jedis = jedis()) {
        jedis.zadd(key("completed"), (double) now(), ids.get(0));
        jedis.zadd(key("completed"), now() + 60.0, ids.get(1));
      }
      if (keeper == Side.GO) {
        try (TaskServer server =
            javaServer().handlers(new PayloadDrivenHandler(event -> {})).build()) {
          server.start();
          soon(() -> assertThat(stats().size()).isEqualTo(2));
        }
      } else if (setting.go() != GoVersion.OLD || InteropSetup.FULL) {
        // The old one looks for such tasks every 8 seconds only, and the short form has no time for
        // it.
        WorkerProcess go = goWorker();
        try {
          soon(() -> assertThat(stats().size()).isEqualTo(2));
        } finally {
          go.close();
        }
      } else {
        continue;
      }
      assertThat(listed(Q, TaskState.COMPLETED))
          .extracting(TaskInfo::id)
          .containsExactly(ids.get(1), ids.get(2));
      inspector.queue(Q).deleteAll(TaskState.COMPLETED);
    }
    assertThat(stats().processed()).isEqualTo(6);
    assertThat(stats().failed()).isZero();
  }

  private QueueDump dump() {
    try (Jedis jedis = jedis()) {
      return QueueDump.of(jedis, Q);
    }
  }
}
