package io.asynq4j.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.cli.output.JsonReader;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.inspect.QueueLimits;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueCommandsIT {

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @BeforeEach
  void furnish() {
    database.furnished();
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Answer run(String... arguments) {
    return database.cli(home).run(arguments);
  }

  @Test
  void statsShowEverythingAtAGlance() {
    Answer answer = run("stats");

    assertThat(answer.exitCode()).isZero();
    assertThat(answer.err()).isEmpty();
    assertThat(answer.out())
        .contains("Tasks by state", "Tasks by queue", "UTC", "Error rate")
        .containsPattern("mail +running +9 ")
        .containsPattern("Version +Uptime");
  }

  @Test
  void statsAsJsonCanBeReadByPrograms() {
    Answer answer = run("stats", "--json");

    assertThat(JsonReader.read(answer.out()))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsKeys("states", "queues", "today", "redis");
    assertThat(answer.out()).contains("\"archived\": 1").doesNotContain("\033[");
  }

  @Test
  void statsAsCsvAreTheQueues() {
    Answer answer = run("stats", "-o", "csv");

    assertThat(answer.out().lines().toList())
        .hasSize(5)
        .first()
        .asString()
        .startsWith("queue,paused,size,active,pending");
    assertThat(answer.out()).contains("\nmail,false,9,1,2,1,2,1,1,1,");
  }

  @Test
  void queuesAreListedAsTableNamesAndJson() {
    assertThat(run("queue", "list").out()).contains("Queue", "-----", "mail", "unused");
    assertThat(run("queue", "ls", "--names").out()).isEqualTo("default\nmail\noutdated\nunused\n");
    List<?> queues = run("queue", "list", "--json").list();
    assertThat(queues).hasSize(4);
    assertThat(queues.get(0))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("queue", "default")
        .containsEntry("paused", false)
        .containsEntry("pending", BigDecimal.ONE)
        .containsKeys("size", "latency_seconds", "failed_today");
  }

  @Test
  void anEmptyListOfQueuesIsReported() {
    try (TestDatabase empty = new TestDatabase()) {
      assertThat(empty.cli(home).run("queue", "list").out()).isEqualTo("No queues yet.\n");
      assertThat(empty.cli(home).run("queue", "list", "--json").out()).isEqualTo("[]\n");
    }
  }

  @Test
  void aQueueIsInspected() {
    Answer answer = run("queue", "inspect", "mail");

    assertThat(answer.out())
        .containsPattern("Queue: +mail")
        .containsPattern("Archived: +1")
        .containsPattern("Memory: +.*estimated")
        .containsPattern("Paused: +no")
        .containsPattern("Limits: +as configured on the servers");
    assertThat(run("queue", "inspect", "mail", "--json").out())
        .contains("\"memory_bytes\"", "\"groups\": 1");
  }

  @Test
  void missingQueuesAreReportedWhileOthersAreShown() {
    Answer answer = run("queue", "inspect", "mail", "nosuch", "default");

    assertThat(answer.exitCode()).isEqualTo(3);
    assertThat(answer.out()).contains("mail", "default");
    assertThat(answer.err()).contains("nosuch", "asynq queue list");
  }

  @Test
  void historyHasALinePerDay() {
    assertThat(run("queue", "history", "mail", "-x", "3").out().lines()).hasSize(5);
    assertThat(run("queue", "history", "mail", "--days", "0").exitCode()).isEqualTo(2);
    assertThat(run("queue", "history", "mail", "--zone", "Asia/Tokyo", "-o", "csv").out())
        .contains("T09:00+09:00");
    assertThat(run("queue", "history", "nosuch").exitCode()).isEqualTo(3);
  }

  @Test
  void aQueueIsPausedAndResumed() {
    assertThat(run("queue", "pause", "mail", "default").out())
        .isEqualTo("Queue mail is paused.\nQueue default is paused.\n");
    assertThat(run("queue", "pause", "mail").out()).isEqualTo("Queue mail is already paused.\n");
    assertThat(database.inspector().queue("mail").snapshot().paused()).isTrue();
    assertThat(run("queue", "unpause", "mail", "--json").out())
        .contains("\"paused\": false", "\"changed\": true");
    assertThat(database.inspector().queue("mail").snapshot().paused()).isFalse();
  }

  @Test
  void limitsAreSetShownAndCleared() {
    assertThat(run("queue", "limit", "mail", "--max-active", "3").out()).contains("max 3 active");
    assertThat(run("queue", "limit", "mail", "--ordered", "true").out())
        .contains("max 3 active, one at a time");
    assertThat(run("queue", "limit", "mail", "--json").out()).contains("\"max_active\": 3");
    assertThat(run("queue", "limit", "mail", "--rate", "30/m", "--burst", "4").out())
        .contains("max 3 active, one at a time, in order, 30/m (burst 4)");
    assertThat(run("queue", "limit", "mail", "--json").out())
        .contains("\"rate\": \"30/m\"", "\"burst\": 4");
    assertThat(run("queue", "limit", "mail", "--rate", "none").out()).contains("no rate limit");
    assertThat(run("queue", "limit", "mail", "--clear").out())
        .contains("as configured on the servers");
    assertThat(run("queue", "limit", "mail", "--rate", "fast").err()).contains("100/s");
    assertThat(run("queue", "limit", "mail", "--rate", "fast").exitCode()).isEqualTo(2);
    assertThat(run("queue", "limit", "mail", "--burst", "3").exitCode()).isEqualTo(2);
    assertThat(run("queue", "limit", "mail", "--clear", "--rate", "1/s").exitCode()).isEqualTo(2);
    assertThat(run("queue", "limit", "mail", "--clear", "--max-active", "1").exitCode())
        .isEqualTo(2);
    assertThat(run("queue", "limit", "mail", "--max-active", "-1").exitCode()).isEqualTo(2);
  }

  @Test
  void limitsOfAQueueThatDoesNotExistYetAreShownAndCleared() {
    database.inspector().queue("soon").pause();
    database.inspector().queue("soon").setLimits(QueueLimits.NONE.withMaxActive(2));

    assertThat(run("queue", "pause", "soon").exitCode()).isEqualTo(3);
    assertThat(run("queue", "limit", "soon", "--max-active", "3").exitCode()).isEqualTo(3);
    assertThat(run("queue", "remove", "soon").exitCode()).isEqualTo(3);

    assertThat(run("queue", "limit", "soon").out()).contains("max 2 active");
    assertThat(run("queue", "limit", "soon", "--clear").exitCode()).isZero();
    assertThat(run("queue", "limit", "soon").exitCode()).isEqualTo(3);
    assertThat(run("queue", "resume", "soon").out()).isEqualTo("Queue soon is running.\n");
    assertThat(run("queue", "resume", "soon").exitCode()).isEqualTo(3);
  }

  @Test
  void anEmptyQueueIsRemovedAtOnceAndAFullOneOnlyWithForceAndConfirmation() {
    assertThat(run("queue", "remove", "unused").out()).isEqualTo("Queue unused is removed.\n");

    Answer refused = run("queue", "rm", "outdated");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("not empty", "--force");

    Answer unasked = run("queue", "rm", "outdated", "--force");
    assertThat(unasked.exitCode()).isEqualTo(2);
    assertThat(unasked.err()).contains("--yes");

    Answer declined = database.cli(home).typing("n\n").run("queue", "rm", "outdated", "-f");
    assertThat(declined.exitCode()).isEqualTo(1);
    assertThat(declined.err()).contains("and delete 1 task? [y/N]", "Nothing was changed");
    assertThat(database.inspector().queues()).contains("outdated");

    assertThat(database.cli(home).typing("y\n").run("queue", "rm", "outdated", "-f").exitCode())
        .isZero();
    assertThat(database.inspector().queues()).doesNotContain("outdated", "unused");
    assertThat(run("queue", "rm", "nosuch").exitCode()).isEqualTo(3);
  }

  @Test
  void aQueueWithRunningTasksIsNotRemovedByForceEither() {
    Answer answer = run("queue", "delete", "mail", "--force", "--yes");

    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(database.inspector().queue("mail").snapshot().size(TaskState.ACTIVE)).isOne();
  }

  @Test
  void groupsAreListedWithTheirSizes() {
    assertThat(run("group", "list", "--queue", "mail").out()).containsPattern("digest +1");
    assertThat(run("group", "ls", "-q", "default").out()).contains("No group");
    assertThat(run("group", "ls", "-q", "mail", "--output", "csv").out())
        .isEqualTo("group,size\ndigest,1\n");
    assertThat(run("group", "list").exitCode()).isEqualTo(2);
  }

  @Test
  void theDoctorFindsAndRepairsInconsistencies() {
    Answer found = run("doctor");
    assertThat(found.exitCode()).isEqualTo(1);
    assertThat(found.out())
        .contains(
            "empty-queue ",
            "empty-queue: a registered queue has no data;",
            "unused",
            "asynq doctor --repair");

    assertThat(run("doctor", "--repair", "--json").out())
        .contains("\"healthy\": true", "\"kind\": \"empty-queue\"", "\"repaired\": 1");
    assertThat(run("doctor").out()).contains("No inconsistencies found");
    assertThat(run("doctor", "--queue", "mail", "--json").out()).contains("\"healthy\": true");
    assertThat(run("doctor", "--trim-archives").exitCode()).isEqualTo(2);
    assertThat(run("doctor", "--repair", "--trim-archives").err()).contains("--yes");
  }
}
