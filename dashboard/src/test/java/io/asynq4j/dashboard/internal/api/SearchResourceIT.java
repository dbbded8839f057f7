package io.asynq4j.dashboard.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.http.Json;
import io.asynq4j.server.TaskServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Searches, failures and jobs over HTTP. */
class SearchResourceIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  private static String encoded(String query) {
    return URLEncoder.encode(query, StandardCharsets.UTF_8);
  }

  private static void many(String queue, String type, int count, Duration in) {
    List<EnqueueRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      requests.add(
          EnqueueRequest.of(
              Task.of(type, Payload.ofUtf8("{\"n\":" + number + "}")),
              o -> {
                o.queue(queue).id(type + number);
                return in.isZero() ? o : o.processIn(in);
              }));
    }
    on.client.enqueueAll(requests).forEach(result -> result.orThrow());
  }

  private static JsonNode done(Dashboard dashboard, String location) {
    await()
        .pollInterval(Duration.ofMillis(50))
        .until(
            () ->
                !on.call(dashboard, location)
                    .get()
                    .json()
                    .get("state")
                    .stringValue()
                    .equals("running"));
    return on.call(dashboard, location).get().json();
  }

  @Test
  void findsTasksOverAllQueuesAndStatesPageByPage() {
    many("a", "email", 30, Duration.ZERO);
    many("b", "email", 30, Duration.ofHours(1));
    many("c", "sms", 30, Duration.ZERO);
    Dashboard dashboard = on.start();
    Set<String> found = new HashSet<>();
    String path = "/search?limit=7&q=" + encoded("type:e*");

    JsonNode page = on.api(dashboard, path).get().is(200).json();
    assertThat(page.get("total").intValue()).isEqualTo(90);
    while (true) {
      page.get("items")
          .forEach(
              task ->
                  assertThat(
                          found.add(task.get("queue").stringValue() + task.get("id").stringValue()))
                      .isTrue());
      if (page.get("cursor").isNull()) {
        break;
      }
      page = on.api(dashboard, path + "&cursor=" + page.get("cursor").stringValue()).get().json();
    }

    assertThat(found).hasSize(60);
    JsonNode one =
        on.api(dashboard, "/search?q=" + encoded("state:scheduled payload.n=7")).get().json();
    assertThat(one.get("items").findValuesAsString("id")).containsExactly("email7");
    on.api(dashboard, "/search").get().isProblem(400, "bad-request");
    on.api(dashboard, "/search?q=tpye:x").get().isProblem(422, "unprocessable");
  }

  @Test
  void suggestsCompletionsOfAQuery() {
    on.enqueue("mail");
    Dashboard dashboard = on.start();

    JsonNode keys = on.api(dashboard, "/search/suggestions?q=" + encoded("type:x st")).get().json();
    JsonNode states =
        on.api(dashboard, "/search/suggestions?q=" + encoded("state:ar")).get().json();
    JsonNode queues =
        on.api(dashboard, "/search/suggestions?q=" + encoded("-queue:m")).get().json();

    assertThat(keys.get("items").findValuesAsString("query")).containsExactly("type:x state:");
    assertThat(states.get("items").findValuesAsString("query")).containsExactly("state:archived");
    assertThat(queues.get("items").findValuesAsString("query")).containsExactly("-queue:mail");
  }

  @Test
  void aJobActsOnAllMatchingTasksAndReports() {
    many("a", "email", 300, Duration.ofHours(1));
    many("b", "email", 300, Duration.ofHours(1));
    many("b", "sms", 10, Duration.ofHours(1));
    Dashboard dashboard = on.start();
    String query = "\"query\":\"type:email state:scheduled\"";

    JsonNode counted =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"count\"," + query + "}")
                .is(202)
                .header("Location"));
    JsonNode deleted =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"delete\"," + query + ",\"reason\":\"no longer wanted\"}")
                .is(202)
                .header("Location"));

    assertThat(counted.get("matched").intValue()).isEqualTo(600);
    assertThat(counted.get("done").intValue()).isZero();
    assertThat(deleted.get("state").stringValue()).isEqualTo("done");
    assertThat(deleted.get("done").intValue()).isEqualTo(600);
    assertThat(deleted.get("looked").intValue()).isEqualTo(610);
    assertThat(on.inspector.queue("a").snapshot().size()).isZero();
    assertThat(on.inspector.queue("b").snapshot().size()).isEqualTo(10);
    await()
        .untilAsserted(
            () ->
                assertThat(on.api(dashboard, "/audit").get().json().get("items").toString())
                    .contains("\"action\":\"job delete\"")
                    .contains("\"count\":600")
                    .contains("\"target\":\"type:email state:scheduled\"")
                    .contains("\"reason\":\"no longer wanted\""));
    assertThat(on.api(dashboard, "/jobs").get().json().get("total").intValue()).isEqualTo(2);
  }

  @Test
  void jobsThatChangeNothingAreNotInTheAuditLog() {
    many("a", "email", 3, Duration.ofHours(1));
    Dashboard dashboard = on.start();
    for (String body :
        List.of(
            "{\"action\":\"count\",\"query\":\"state:scheduled\"}", "{\"action\":\"doctor\"}")) {
      done(dashboard, on.api(dashboard, "/jobs").post(body).is(202).header("Location"));
    }
    on.api(dashboard, "/jobs").post("{\"action\":\"count\"}").is(422);
    assertThat(on.api(dashboard, "/audit").get().json().get("items")).isEmpty();

    done(
        dashboard,
        on.api(dashboard, "/jobs")
            .post("{\"action\":\"doctor\",\"repair\":true}")
            .is(202)
            .header("Location"));
    on.api(dashboard, "/jobs").post("{\"action\":\"delete\"}").is(422);
    assertThat(on.api(dashboard, "/audit").get().json().get("items").findValuesAsString("action"))
        .contains("startJob");
  }

  @Test
  void jobsMoveRescheduleAndArchiveUpToALimit() {
    many("a", "email", 50, Duration.ofHours(1));
    Dashboard dashboard = on.start();

    JsonNode archived =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"archive\",\"query\":\"state:scheduled\",\"limit\":20}")
                .is(202)
                .header("Location"));
    JsonNode rescheduled =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"reschedule\",\"query\":\"state:archived\",\"in\":\"3h\"}")
                .is(202)
                .header("Location"));
    JsonNode moved =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"move\",\"query\":\"state:scheduled\",\"queue\":\"b\"}")
                .is(202)
                .header("Location"));

    assertThat(archived.get("done").intValue()).isEqualTo(20);
    assertThat(rescheduled.get("done").intValue()).isEqualTo(20);
    assertThat(moved.get("done").intValue()).isEqualTo(50);
    assertThat(on.inspector.queue("b").snapshot().size(TaskState.SCHEDULED)).isEqualTo(50);
  }

  @Test
  void aJobArchivesUntilTheArchiveIsFullUnlessTheOldestMayBeDropped() {
    many("a", "email", 50, Duration.ofHours(1));
    Dashboard dashboard = on.start(builder -> builder.archive(a -> a.maxSize(20)));

    JsonNode refused =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"archive\",\"query\":\"state:scheduled\"}")
                .is(202)
                .header("Location"));
    assertThat(refused.get("state").stringValue()).isEqualTo("failed");
    assertThat(refused.get("done").intValue()).isEqualTo(20);
    assertThat(refused.get("dropped").intValue()).isZero();
    assertThat(refused.get("problem").stringValue()).contains("the archive of queue \"a\" is full");

    JsonNode allowed =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"archive\",\"query\":\"state:scheduled\",\"dropOldest\":true}")
                .is(202)
                .header("Location"));
    assertThat(allowed.get("state").stringValue()).isEqualTo("done");
    assertThat(allowed.get("done").intValue()).isEqualTo(30);
    assertThat(allowed.get("dropped").intValue()).isEqualTo(30);
  }

  @Test
  void aJobCanBeStoppedAndItsReportAddsUp() {
    many("a", "email", 20_000, Duration.ofHours(1));
    Dashboard dashboard = on.start();

    String location =
        on.api(dashboard, "/jobs")
            .post("{\"action\":\"archive\",\"query\":\"state:scheduled payload.n=1 -id:email\"}")
            .is(202)
            .header("Location");
    on.call(dashboard, location + "/stop").post("").is(204);

    JsonNode stopped = done(dashboard, location);
    assertThat(stopped.get("state").stringValue()).isEqualTo("stopped");
    assertThat(stopped.get("looked").intValue()).isLessThan(20_000);
    assertThat(stopped.get("total").intValue()).isEqualTo(20_000);
    on.call(dashboard, location + "/stop").post("").isProblem(409, "wrong-state");
    on.api(dashboard, "/jobs/nobody").get().isProblem(404, "not-found");
  }

  @Test
  void aJobWithAnAmbiguousRequestIsRejected() {
    Dashboard dashboard = on.start();

    for (String body :
        List.of(
            "{\"action\":\"delete\"}",
            "{\"action\":\"delete\",\"query\":\"type:x\"}",
            "{\"action\":\"delete\",\"query\":\"state:active\"}",
            "{\"action\":\"run\",\"query\":\"state:pending\"}",
            "{\"action\":\"cancel\",\"query\":\"state:retry\"}",
            "{\"action\":\"move\",\"query\":\"state:completed\",\"queue\":\"b\"}",
            "{\"action\":\"move\",\"query\":\"state:pending\"}",
            "{\"action\":\"shred\",\"query\":\"state:pending\"}",
            "{\"action\":\"delete\",\"query\":\"state:retry\",\"limit\":0}")) {
      on.api(dashboard, "/jobs").post(body).isProblem(422, "unprocessable");
    }
    assertThat(on.api(dashboard, "/jobs").get().json().get("total").intValue()).isZero();
  }

  @Test
  void theDoctorIsAJobToo() {
    on.enqueue("mail", "t", o -> o.id("a"));
    try (var jedis = on.jedis()) {
      jedis.del("asynq:{mail}:t:a");
    }
    Dashboard dashboard = on.start();

    JsonNode dry =
        done(
            dashboard,
            on.api(dashboard, "/jobs").post("{\"action\":\"doctor\"}").is(202).header("Location"));
    JsonNode repaired =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"doctor\",\"repair\":true}")
                .is(202)
                .header("Location"));

    assertThat(dry.get("findings").findValuesAsString("kind")).contains("id-without-record");
    assertThat(dry.at("/findings/0/repaired").intValue()).isZero();
    assertThat(repaired.at("/findings/0/repaired").intValue()).isEqualTo(1);
  }

  @Test
  void failuresOfOneCauseAreOneGroupThatCanBeRunAgain() {
    try (TaskServer server =
        TaskServer.builder(on.redis)
            .queue("mail", 1)
            .concurrency(20)
            .retryPolicy(RetryPolicy.fixed(Duration.ofHours(1)))
            .handlers(
                (task, context) -> {
                  throw new IllegalStateException(
                      (context.id().endsWith("7") ? "timeout of host " : "user not found: ")
                          + (context.id().hashCode() & 0xFFFF));
                })
            .build()) {
      many("mail", "email", 100, Duration.ZERO);
      server.start();
      await().until(() -> on.inspector.queue("mail").snapshot().size(TaskState.RETRY) == 100);
    }
    Dashboard dashboard = on.start();

    JsonNode groups = on.api(dashboard, "/failures").get().is(200).json();

    assertThat(groups.get("total").intValue()).isEqualTo(2);
    assertThat(groups.get("complete").booleanValue()).isTrue();
    assertThat(groups.at("/items/0/count").intValue()).isEqualTo(90);
    assertThat(groups.at("/items/0/error").stringValue())
        .contains("user not found")
        .contains("<n>");
    assertThat(groups.at("/items/1/count").intValue()).isEqualTo(10);
    assertThat(groups.at("/items/1/states/retry").intValue()).isEqualTo(10);
    assertThat(groups.at("/items/1/lastSeen").isNull()).isFalse();
    JsonNode failed = on.api(dashboard, "/queues/mail/tasks/email7").get().is(200).json();
    assertThat(failed.at("/failures/0/error").stringValue()).contains("timeout of host");
    assertThat(failed.at("/failures/0/trace").stringValue()).contains("SearchResourceIT");
    String query = groups.at("/items/1/query").stringValue();
    JsonNode run =
        done(
            dashboard,
            on.api(dashboard, "/jobs")
                .post("{\"action\":\"run\",\"query\":" + Json.text(query) + "}")
                .is(202)
                .header("Location"));
    assertThat(run.get("done").intValue()).isEqualTo(10);
    assertThat(on.inspector.queue("mail").snapshot().size(TaskState.PENDING)).isEqualTo(10);
  }
}
