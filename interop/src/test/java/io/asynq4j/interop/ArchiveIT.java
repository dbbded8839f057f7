package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Finding;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.PayloadDrivenHandler;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.resps.Tuple;

/** A Go server trims an archive when it adds to it, and fails when there is too much to trim. */
@ForEachSetup
class ArchiveIT extends InteropTestBase {

  /** Our default limit; Go can trim as many tasks at once. */
  private static final int OURS = 7_900;

  /** Go's limit, which it does not exceed by itself. */
  private static final int GOS = 9_999;

  private static final Duration TOO_OLD = Duration.ofDays(91);

  @Test
  void anArchiveThatJavaFilledNeverBlocksGo() {
    archive(inspector, GOS + 1_000);
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(OURS);

    assertGoArchives("while it is full");
    weEnqueue(SampleTasks.text("by its inspector", "x"));
    goDoes("archive", Q, "by its inspector");
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(OURS + 2);

    // None of our servers is running to trim it.
    ageArchive(TOO_OLD);
    assertGoArchives("all of it at once");
    assertThat(stats().size()).isEqualTo(1);
    assertGoArchives("and the next");
    assertOnlyGoLeftRecordsBehind();
  }

  @Test
  void javaServersTrimOldArchivedTasksBeforeGoMust() {
    archive(Inspector.builder(redis).archive(archive -> archive.maxSize(GOS)).build(), GOS);
    ageArchive(TOO_OLD);

    try (TaskServer server = javaServer().handlers(new PayloadDrivenHandler(event -> {})).build()) {
      server.start();
      soon(() -> assertThat(stats().size(TaskState.ARCHIVED)).isZero());
    }
    assertGoArchives("later");
    assertTheDoctorFindsNothing();
  }

  private void assertOnlyGoLeftRecordsBehind() {
    if (setting.go().deletesWhatItTrims()) {
      assertTheDoctorFindsNothing();
      return;
    }
    Diagnosis repaired = inspector.doctor(DoctorOptions.repair().build());
    assertThat(repaired.findings())
        .extracting(Finding::kind)
        .containsExactly(FindingKind.RECORD_WITHOUT_CONTAINER);
    assertThat(repaired.isHealthy()).isTrue();
  }

  @Test
  void theDoctorReportsAnArchiveThatIsTooLargeForGoAndTrimsItOnRequest() {
    archive(
        Inspector.builder(redis).archive(archive -> archive.maxSize(3 * GOS)).build(),
        2 * GOS + 10);
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(2 * GOS + 10);

    assertThat(inspector.doctor(DoctorOptions.dryRun().build()).findings())
        .extracting(Finding::kind)
        .contains(FindingKind.ARCHIVE_WEDGES_GO);
    assertThat(inspector.doctor(DoctorOptions.repair().trimArchives().build()).isHealthy())
        .isTrue();
    assertGoArchives("after it was trimmed");
  }

  private void archive(Inspector operator, int count) {
    List<GoTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(SampleTasks.text("old-" + i, "x"));
    }
    enqueue(Side.JAVA, tasks);
    assertThat(operator.droppingOldest().queue(Q).archiveAll(TaskState.PENDING)).isEqualTo(count);
  }

  private void assertGoArchives(String id) {
    weEnqueue(SampleTasks.text(id, "archive why"));
    process(Side.GO, Q);
    assertThat(task(id).state()).isEqualTo(TaskState.ARCHIVED);
    assertThat(goSeesTask(Q, id)).isEqualTo(GoTaskInfo.of(task(id)));
    assertThat(stats().size(TaskState.ARCHIVED)).isLessThanOrEqualTo(GOS);
    assertNothingIsActive();
  }

  private void ageArchive(Duration age) {
    try (Jedis jedis = jedis()) {
      Map<String, Double> scores = new HashMap<>();
      for (Tuple task : jedis.zrangeWithScores(key("archived"), 0, -1)) {
        scores.put(task.getElement(), task.getScore() - age.toSeconds());
      }
      jedis.zadd(key("archived"), scores);
    }
  }
}
