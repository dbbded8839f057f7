package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.interop.Peer.Answer;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** However a task ends, both sides leave the same of it, and count the same. */
@EachSetting
class SettlingIT extends TwoSides {

  private List<GoTask> tasks() {
    List<GoTask> tasks =
        new ArrayList<>(
            List.of(
                Samples.text("done", "x"),
                Samples.kept("kept", "x"),
                Samples.kept("result", "result größe \u0000 ÿ"),
                Samples.kept("binary result", "bytes 00ff80fe0a0dc328"),
                GoTask.of("unique done", "done").unique(HOUR).build(),
                GoTask.of("unique kept", "kept").unique(HOUR).retention(HOUR).build(),
                GoTask.of("retry", "fail broken").build(),
                GoTask.of("unique retry", "fail größe").unique(HOUR).build(),
                GoTask.of("kept retry", "fail again").retention(HOUR).maxRetry(1).build(),
                Samples.text("archived", "archive für immer"),
                GoTask.of("unique archived", "archive it").unique(HOUR).build(),
                GoTask.of("exhausted", "fail at once").maxRetry(0).build()));
    if (setting.go().revokes()) {
      tasks.add(Samples.kept("revoked", "revoke"));
    }
    return tasks;
  }

  @Test
  void equalEndingsLeaveEqualTasksAndStatistics() {
    List<GoTask> tasks = tasks();
    assertThat(weEnqueue(tasks)).allMatch(EnqueueResult::isEnqueued);
    process(Side.GO, Q);
    assertBothCount(tasks);
    Dump go = dump();

    store.clear();
    assertThat(goEnqueues(tasks)).extracting(Answer::verdict).containsOnly("enqueued");
    process(Side.JAVA, Q);
    assertBothCount(tasks);
    // What we keep of failures beyond the last error, Go leaves as it is.
    Dump ours = dump().without(place -> place.endsWith("/failures"));
    Dump.assertSame(ours, go, Set.of());
    assertTheDoctorFindsNothing();
  }

  private void assertBothCount(List<GoTask> tasks) {
    assertThat(stats().processed()).isEqualTo(tasks.size());
    assertThat(stats().failed()).isEqualTo(6);
    JsonNode go = goSees(JsonNode.class, "queue", Q).get(0);
    assertThat(go.get("ProcessedTotal").asLong()).isEqualTo(tasks.size());
    assertThat(go.get("FailedTotal").asLong()).isEqualTo(6);
  }

  @Test
  void whatGoKeepsWeDeleteInTimeAndTheOtherWayRound() {
    Duration retention = Duration.ofSeconds(2);
    weEnqueue(GoTask.of("by go", "x").retention(retention).build());
    process(Side.GO, Q);
    assertThat(task("by go").state()).isEqualTo(TaskState.COMPLETED);
    try (TaskServer server = javaServer().handlers(new Obedient(event -> {})).build()) {
      server.start();
      soon(() -> assertThat(stats().size()).isZero());
    }

    goEnqueues(GoTask.of("by us", "x").retention(retention).build());
    process(Side.JAVA, Q);
    assertThat(task("by us").state()).isEqualTo(TaskState.COMPLETED);
    if (setting.go() != GoVersion.OLD || Setting.FULL) {
      // The old one looks for such tasks every 8 seconds only, and the short form has no time for
      // it.
      Worker go = goWorker();
      try {
        soon(() -> assertThat(stats().size()).isZero());
      } finally {
        go.close();
      }
    }
    assertThat(stats().processed()).isEqualTo(2);
    assertThat(stats().failed()).isZero();
  }

  private Dump dump() {
    try (Jedis jedis = jedis()) {
      return Dump.of(jedis, Q);
    }
  }
}
