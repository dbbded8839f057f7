package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Finding;
import io.asynq4j.inspect.Inspector;
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
@EachSetting
class ArchiveIT extends TwoSides {

  /** What either side keeps. */
  private static final int MOST = 9_999;

  @Test
  void anArchiveThatWeFilledNeverWedgesGo() {
    archive(inspector, 2 * MOST);
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(MOST);

    assertGoArchives("while it is full");

    // Ninety-one days later, one of our servers trims what a Go server could not.
    ageArchive(Duration.ofDays(91));
    try (TaskServer server = javaServer().handlers(new Obedient(event -> {})).build()) {
      server.start();
      soon(() -> assertThat(stats().size(TaskState.ARCHIVED)).isZero());
    }
    assertGoArchives("later");
    assertThat(stats().size()).isEqualTo(1);
    if (setting.go().deletesWhatItTrims()) {
      assertTheDoctorFindsNothing();
    } else {
      Diagnosis repaired = inspector.doctor(DoctorOptions.repair().build());
      assertThat(repaired.findings())
          .extracting(Finding::kind)
          .containsExactly(Finding.Kind.RECORD_WITHOUT_CONTAINER);
      assertThat(repaired.isHealthy()).isTrue();
    }
  }

  @Test
  void anArchiveThatIsTooLargeForGoIsToldByTheDoctorAndTrimmedWhenAskedFor() {
    archive(Inspector.builder(redis).archiveSize(3 * MOST).build(), 2 * MOST + 10);
    assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(2 * MOST + 10);

    assertThat(inspector.doctor(DoctorOptions.dryRun().build()).findings())
        .extracting(Finding::kind)
        .contains(Finding.Kind.ARCHIVE_WEDGES_GO);
    assertThat(inspector.doctor(DoctorOptions.repair().trimArchives().build()).isHealthy())
        .isTrue();
    assertGoArchives("after it was trimmed");
  }

  private void archive(Inspector operator, int count) {
    List<GoTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(Samples.text("old-" + i, "x"));
    }
    enqueue(Side.JAVA, tasks);
    assertThat(operator.archiveAll(Q, TaskState.PENDING)).isEqualTo(count);
  }

  private void assertGoArchives(String id) {
    weEnqueue(Samples.text(id, "archive why"));
    process(Side.GO, Q);
    assertThat(task(id).state()).isEqualTo(TaskState.ARCHIVED);
    assertThat(goSeesTask(Q, id)).isEqualTo(GoTaskInfo.of(task(id)));
    assertThat(stats().size(TaskState.ARCHIVED)).isLessThanOrEqualTo(MOST);
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
