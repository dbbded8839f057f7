package io.asynq4j.dashboard.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** Schedule entries over HTTP. */
class ScheduleResourceIT {

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
      String path = "/schedules/" + PathSegmentCodec.encode("every/hour");

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
      assertThat(on.inspector.queue("default").snapshot().size()).isEqualTo(1);
    }
    String path = "/schedules/" + PathSegmentCodec.encode("every/hour");
    on.api(dashboard, path).delete().is(204);
    await().untilAsserted(() -> on.api(dashboard, path).get().isProblem(404, "not-found"));
    on.api(dashboard, "/schedules/nobody/run").post("").isProblem(404, "not-found");
  }

  @Test
  void anEntryThatCannotBeReadIsOneBrokenRowAndCanBeForgotten() {
    try (Jedis jedis = on.jedis()) {
      jedis.hset("asynq:schedules", Map.of("bad", "default", "good", "default", "odd", " "));
      jedis.hset(
          "asynq:{default}:schedules",
          Map.of("spec:bad", "@daily", "from:bad", "x", "spec:good", "@daily", "from:good", "1"));
      jedis.zadd("asynq:schedulers", 4e9, "asynq:schedulers:{host:1:s}");
      jedis.rpush("asynq:schedulers:{host:1:s}", "\u0001no entry");
      jedis.zadd("asynq:scheduler_history:good", 1_700_000_000, "\u0001no event");
    }
    Dashboard dashboard = on.start();

    JsonNode items = on.api(dashboard, "/schedules").get().is(200).json().get("items");

    assertThat(items)
        .extracting(item -> item.get("id").stringValue())
        .containsExactly("bad", "good", "host:1:s#1", "odd");
    assertThat(items.at("/0/problem").stringValue()).isNotBlank();
    assertThat(items.at("/0/queue").stringValue()).isEqualTo("default");
    assertThat(items.at("/1/problem").isNull()).isTrue();
    assertThat(items.at("/2/problem").stringValue()).isNotBlank();
    assertThat(items.at("/2/live").booleanValue()).isTrue();
    assertThat(items.at("/3/queue").isNull()).isTrue();
    JsonNode run = on.api(dashboard, "/schedules/good/runs").get().is(200).json().at("/items/0");
    assertThat(run.get("problem").stringValue()).isNotBlank();
    assertThat(run.get("enqueuedAt").stringValue()).startsWith("2023-11-14T22:13:20");
    JsonNode attention = on.api(dashboard, "/overview").get().is(200).json().get("attention");
    assertThat(attention.findValuesAsString("kind")).contains("schedule-unreadable");
    for (String id : new String[] {"bad", "odd"}) {
      on.api(dashboard, "/schedules/" + id).get().is(200);
      on.api(dashboard, "/schedules/" + id).delete().is(204);
      on.api(dashboard, "/schedules/" + id).get().isProblem(404, "not-found");
    }
  }

  @Test
  void aServerAndAWorkerThatCannotBeReadAreBrokenRows() {
    try (Jedis jedis = on.jedis()) {
      jedis.zadd("asynq:servers", 4e9, "asynq:servers:{host:7:one}");
      jedis.set("asynq:servers:{host:7:one}", "\u0001no server");
      jedis.zadd("asynq:workers", 4e9, "asynq:workers:{host:7:one}");
      jedis.hset("asynq:workers:{host:7:one}", "task", "\u0001no worker");
    }
    Dashboard dashboard = on.start();

    JsonNode server = on.api(dashboard, "/servers").get().is(200).json().at("/items/0");

    assertThat(server.get("host").stringValue()).isEqualTo("host");
    assertThat(server.get("pid").intValue()).isEqualTo(7);
    assertThat(server.get("status").stringValue()).isEqualTo("broken");
    assertThat(server.get("problem").stringValue()).isNotBlank();
    assertThat(server.at("/workers/0/taskId").stringValue()).isEqualTo("task");
    assertThat(server.at("/workers/0/problem").stringValue()).isNotBlank();
  }
}
