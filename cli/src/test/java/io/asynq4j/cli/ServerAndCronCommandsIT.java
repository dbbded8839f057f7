package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskType;
import io.asynq4j.cli.testing.CliRunner.Answer;
import io.asynq4j.cli.testing.TestDatabase;
import io.asynq4j.handler.Mux;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerAndCronCommandsIT {
  private static final String JUNK = "\u0001junk";

  @TempDir private Path home;
  private final TestDatabase database = new TestDatabase();

  @AfterEach
  void close() {
    database.close();
  }

  private Answer run(String... arguments) {
    return database.cli(home).run(arguments);
  }

  @Test
  void serversAreListedMadeQuietAndStopped() {
    try (TaskServer server =
        TaskServer.builder(database.redis())
            .queue("mail", 3)
            .queue("low")
            .concurrency(7)
            .handlers(Mux.builder().run(TaskType.of("a"), (nothing, context) -> {}).build())
            .build()) {
      server.start();
      await().until(() -> run("server", "list").out().contains("mail:3 low:1"));

      assertThat(run("server", "ls", "--workers").out()).contains("0/7", "No running tasks.");
      assertThat(run("server", "list", "--json").out())
          .contains("\"concurrency\": 7", "\"workers\": []");

      assertThat(
              run("task", "enqueue", "-t", "a", "-q", "low", "--retention", "1h", "--wait", "10s")
                  .out())
          .containsPattern("State: +completed");

      assertThat(run("server", "quiet", server.id().substring(0, 8)).out())
          .contains("was asked to stop claiming tasks");
      await().until(() -> server.state() == ServerState.QUIET);

      assertThat(run("server", "stop", "--all").exitCode()).isEqualTo(2);
      assertThat(run("server", "stop", "--all", "--yes").out()).contains("was asked to stop");
      await().until(() -> server.state() == ServerState.CLOSED);
    }
  }

  @Test
  void anUnknownServerIsNotFound() {
    assertThat(run("server", "list").out()).isEqualTo("No live servers.\n");
    assertThat(run("server", "quiet", "nosuch").exitCode()).isEqualTo(3);
    assertThat(run("server", "stop").err()).contains("--all");
  }

  @Test
  void entriesAreListedPausedResumedRunAndForgotten() {
    try (Scheduler scheduler = database.scheduler("nightly")) {
      assertThat(scheduler.entries()).hasSize(1);
      assertThat(run("cron", "list").out())
          .containsPattern("nightly +0 3 \\* \\* \\* +live +report:nightly");
      assertThat(run("cron", "ls", "--json").out()).contains("\"steerable\": true");

      assertThat(run("cron", "pause", "nightly").out()).isEqualTo("Entry nightly is paused.\n");
      assertThat(run("cron", "pause", "nightly").out()).contains("already");
      assertThat(run("cron", "list").out()).contains("paused");
      assertThat(run("cron", "resume", "nightly").out()).isEqualTo("Entry nightly is resumed.\n");

      assertThat(run("cron", "history", "nightly").out()).contains("No tasks enqueued yet");
      assertThat(run("cron", "run", "nightly").exitCode()).isZero();
      await()
          .until(() -> run("cron", "history", "nightly", "-o", "csv").out().lines().count() == 2);
    }
    assertThat(run("cron", "forget", "nightly").out()).isEqualTo("Entry nightly was deleted.\n");
    assertThat(run("cron", "pause", "nightly").exitCode()).isEqualTo(3);
    assertThat(run("cron", "history", "nosuch").exitCode()).isEqualTo(3);
    assertThat(run("cron", "list").out()).isEqualTo("No schedule entries.\n");
  }

  @Test
  void unreadableTasksAreListedAsBrokenBesideTheOthers() {
    database.task("a", "{}", o -> o.queue("mail").group("g"));
    database.raw(
        "HSET asynq:schedules bad mail good mail",
        "HSET asynq:{mail}:schedules spec:bad @daily from:bad x spec:good @daily from:good 1",
        "ZADD asynq:scheduler_history:good 1700000000 " + JUNK,
        "ZADD asynq:servers 4e9 asynq:servers:{host:7:one}",
        "SET asynq:servers:{host:7:one} " + JUNK,
        "ZADD asynq:workers 4e9 asynq:workers:{host:7:one}",
        "HSET asynq:workers:{host:7:one} task " + JUNK,
        "SADD asynq:queues broken",
        "SET asynq:{broken}:pending not-a-list",
        "SADD asynq:{mail}:groups broken",
        "SET asynq:{mail}:g:broken not-a-set");

    Answer entries = run("cron", "list");
    assertThat(entries.exitCode()).isZero();
    assertThat(entries.out())
        .containsPattern("bad +broken")
        .containsPattern("good +@daily +no scheduler");
    assertThat(entries.err()).contains("entry bad cannot be read");
    assertThat(run("cron", "list", "--json").out()).contains("\"problem\": \"");
    assertThat(run("cron", "history", "good").out()).contains("(unreadable)");
    assertThat(run("cron", "forget", "bad").out()).contains("was deleted");
    Answer servers = run("server", "list", "--workers");
    assertThat(servers.out()).containsPattern("host +7 +broken").contains("task", "(unreadable)");
    assertThat(servers.err()).contains("server host:7 cannot be read", "task task of server");
    Answer queues = run("queue", "list");
    assertThat(queues.exitCode()).isZero();
    assertThat(queues.out()).containsPattern("broken +broken").containsPattern("mail +running +1");
    assertThat(queues.err()).contains("queue broken cannot be read");
    assertThat(run("stats").out()).containsPattern("broken +broken");
    assertThat(run("group", "list", "-q", "mail").out())
        .containsPattern("broken +broken")
        .containsPattern("g +1");
  }
}
