package io.asynq4j.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Periodic entries over HTTP. */
class ScheduleApiIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @Test
  void entriesAreListedPausedResumedRunAndForgotten() {
    Dashboard dashboard = on.start();
    try (Scheduler scheduler =
        Scheduler.builder(on.redis)
            .heartbeat(Duration.ofSeconds(1))
            .add("every/hour", Schedule.cron("7 * * * *"), Task.of("report"))
            .build()) {
      scheduler.start();
      await()
          .untilAsserted(
              () -> {
                JsonNode first =
                    on.api(dashboard, "/schedules").get().is(200).json().at("/items/0");
                assertThat(first.path("live").booleanValue()).isTrue();
                assertThat(first.path("controllable").booleanValue()).isTrue();
              });
      String path = "/schedules/" + Names.encode("every/hour");

      JsonNode entry = on.api(dashboard, path).get().is(200).json();
      assertThat(entry.get("id").stringValue()).isEqualTo("every/hour");
      assertThat(entry.get("description").stringValue()).isEqualTo("every hour, at minute 7");
      assertThat(entry.get("nextRuns")).hasSize(10);
      assertThat(entry.get("taskType").stringValue()).isEqualTo("report");

      on.api(dashboard, path + "/pause").post("").is(204);
      on.api(dashboard, path + "/pause").post("").isProblem(409, "wrong-state");
      assertThat(on.api(dashboard, path).get().json().get("pausedSince").isNull()).isFalse();
      on.api(dashboard, path + "/resume").post("").is(204);
      on.api(dashboard, path + "/resume").post("").isProblem(409, "wrong-state");
      on.api(dashboard, path + "/run").post("").is(202);
      await()
          .untilAsserted(
              () ->
                  assertThat(on.api(dashboard, path + "/runs").get().is(200).json().get("items"))
                      .hasSize(1));
      assertThat(on.inspector.queue("default").size()).isEqualTo(1);
    }
    String path = "/schedules/" + Names.encode("every/hour");
    on.api(dashboard, path).delete().is(204);
    await().untilAsserted(() -> on.api(dashboard, path).get().isProblem(404, "not-found"));
    on.api(dashboard, "/schedules/nobody/run").post("").isProblem(404, "not-found");
  }
}
