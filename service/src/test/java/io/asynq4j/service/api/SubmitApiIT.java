package io.asynq4j.service.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.Json;
import io.asynq4j.server.TaskServer;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.ServiceFixture.Reply;
import io.asynq4j.service.response.Problems;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Tasks submitted over HTTP. */
@TestInstance(Lifecycle.PER_CLASS)
class SubmitApiIT {

  private static final String YAML =
      """
      limits: { body: 4KiB, batch: 64KiB, batchLines: 20 }
      tasks:
        dump:
          kind: worker
          retention: 1h
          params:
            type: object
            required: [feature]
            properties:
              feature: { type: string }
              depth: { type: integer, minimum: 1 }
        plain: { kind: worker, retries: 3, timeout: 10s }
        once: { kind: worker, unique: 1h }
        bounded: { kind: worker, maxPending: 3 }
      """;

  private ServiceFixture fixture;

  @BeforeAll
  void start() {
    fixture = new ServiceFixture();
    fixture.start(YAML);
  }

  @AfterAll
  void stop() {
    fixture.close();
  }

  @Test
  void aTaskIsTakenInAndShown() {
    Reply reply =
        fixture.post("/v1/tasks", "{\"name\":\"plain\",\"params\":{\"a\":[1,2.50]},\"id\":\"p1\"}");
    assertThat(reply.status()).isEqualTo(201);
    assertThat(reply.at("/task/id").stringValue()).isEqualTo("p1");
    assertThat(reply.at("/task/state").stringValue()).isEqualTo("pending");
    assertThat(reply.at("/task/maxRetry").intValue()).isEqualTo(3);
    assertThat(fixture.inspector.queue("plain").task("p1").payload().utf8())
        .isEqualTo("{\"a\":[1,2.50]}");
    assertThat(fixture.inspector.queue("plain").task("p1").timeout())
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(fixture.get("/v1/tasks/p1").at("/task/name").stringValue()).isEqualTo("plain");
    assertThat(fixture.get("/v1/tasks/nobody").status()).isEqualTo(404);
  }

  @Test
  void theSameIdAgainIsAConflictThatShowsTheTask() {
    String body = "{\"name\":\"plain\",\"id\":\"twice\",\"in\":\"5m\"}";
    assertThat(fixture.post("/v1/tasks", body).status()).isEqualTo(201);
    Reply again = fixture.post("/v1/tasks", body);
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.at("/error/code").stringValue()).isEqualTo("id-taken");
    assertThat(again.at("/task/state").stringValue()).isEqualTo("scheduled");
  }

  @Test
  void idsMayBeNumbersOfAnyLength() {
    String id = "123456789012345678901234567890";
    Reply reply = fixture.post("/v1/tasks", "{\"name\":\"plain\",\"id\":" + id + "}");
    assertThat(reply.at("/task/id").stringValue()).isEqualTo(id);
    assertThat(fixture.get("/v1/tasks/" + id).status()).isEqualTo(200);
  }

  @Test
  void anIdMayHoldWhateverAUrlEncodes() {
    Reply reply = fixture.post("/v1/tasks", "{\"name\":\"plain\",\"id\":\"a/b c+d%é\"}");
    assertThat(reply.status()).isEqualTo(201);
    assertThat(fixture.get("/v1/tasks/a%2Fb%20c+d%25%C3%A9").at("/task/id").stringValue())
        .isEqualTo("a/b c+d%é");
  }

  @Test
  void invalidInputIsRejectedWithTheField() {
    assertInvalid("{\"name\":\"unknown\"}", "name");
    assertInvalid("{\"params\":{}}", "name");
    assertInvalid("{\"name\":\"dump\",\"params\":{}}", "params.feature");
    assertInvalid("{\"name\":\"dump\",\"params\":{\"feature\":7}}", "params.feature");
    assertInvalid("{\"name\":\"dump\",\"params\":{\"feature\":\"x\",\"depth\":0}}", "params.depth");
    assertInvalid("{\"name\":\"plain\",\"in\":\"soon\"}", "in");
    assertInvalid("{\"name\":\"plain\",\"at\":\"soon\"}", "at");
    assertInvalid("{\"name\":\"plain\",\"id\":1.5}", "id");
    assertInvalid("{\"name\":\"plain\",\"queue\":\"other\"}", "queue");
    assertThat(fixture.post("/v1/tasks", "{\"name\":").status()).isEqualTo(400);
    assertThat(fixture.post("/v1/tasks", "{}", "Content-Type", "text/plain").status())
        .isEqualTo(415);
    assertThat(fixture.send("DELETE", "/v1/tasks", "").status()).isEqualTo(405);
    assertThat(fixture.get("/nowhere").status()).isEqualTo(404);
  }

  private void assertInvalid(String body, String field) {
    Reply reply = fixture.post("/v1/tasks", body);
    assertThat(reply.status()).as(reply.body()).isEqualTo(422);
    assertThat(reply.at("/error/field").stringValue()).isEqualTo(field);
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() {
    String large = "{\"name\":\"plain\",\"params\":\"" + "x".repeat(5_000) + "\"}";
    assertThat(fixture.post("/v1/tasks", large).status()).isEqualTo(413);
  }

  @Test
  void anEqualUniqueTaskIsAConflictThatShowsTheOther() {
    String first =
        fixture
            .post("/v1/tasks", "{\"name\":\"once\",\"params\":{\"n\":1}}")
            .at("/task/id")
            .stringValue();
    Reply second = fixture.post("/v1/tasks", "{\"name\":\"once\",\"params\":{\"n\":1}}");
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.at("/error/code").stringValue()).isEqualTo("duplicate");
    assertThat(second.at("/task/id").stringValue()).isEqualTo(first);
  }

  @Test
  void aBatchIsAnsweredLineByLine() {
    String lines =
        """
        {"name":"plain","id":"b1"}
        {"name":"plain","id":"b1"}

        {"name":"nobody"}
        nonsense
        {"name":"plain","id":"b2"}
        """;
    Reply reply = fixture.post("/v1/tasks", lines, "Content-Type", "application/x-ndjson");
    assertThat(reply.status()).isEqualTo(200);
    List<Integer> statuses =
        reply
            .body()
            .lines()
            .map(
                line -> Json.parse(line.getBytes(StandardCharsets.UTF_8), "line", Problems.FACTORY))
            .map(line -> line.get("status").intValue())
            .toList();
    assertThat(statuses).containsExactly(201, 409, 422, 400, 201);
    assertThat(
            fixture
                .post(
                    "/v1/tasks",
                    "{\"name\":\"plain\"}\n".repeat(21),
                    "Content-Type",
                    "application/x-ndjson")
                .status())
        .isEqualTo(413);
  }

  @Test
  void anIdempotencyKeyIsAnsweredTheSameAgain() {
    String body = "{\"name\":\"plain\",\"params\":{\"x\":1}}";
    Reply first = fixture.post("/v1/tasks", body, "Idempotency-Key", "k1");
    Reply second = fixture.post("/v1/tasks", body, "Idempotency-Key", "k1");
    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(201);
    assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(second.at("/task/id")).isEqualTo(first.at("/task/id"));
    Reply other = fixture.post("/v1/tasks", "{\"name\":\"plain\"}", "Idempotency-Key", "k1");
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.at("/error/field").stringValue()).isEqualTo("Idempotency-Key");
    // Kept for a day, so that the key is remembered after the task has succeeded.
    assertThat(
            fixture.inspector.queue("plain").task(first.at("/task/id").stringValue()).retention())
        .isEqualTo(Duration.ofDays(1));
  }

  @Test
  void aQueueOverItsBoundTakesNoMore() {
    for (int i = 0; i < 3; i++) {
      assertThat(fixture.post("/v1/tasks", "{\"name\":\"bounded\"}").status()).isEqualTo(201);
    }
    Reply reply = fixture.post("/v1/tasks", "{\"name\":\"bounded\"}");
    assertThat(reply.status()).isEqualTo(429);
    assertThat(reply.header("Retry-After")).isEqualTo("2");
    fixture.inspector.queue("bounded").deleteAll(TaskState.PENDING);
    await()
        .untilAsserted(
            () ->
                assertThat(fixture.post("/v1/tasks", "{\"name\":\"bounded\"}").status())
                    .isEqualTo(201));
  }

  @Test
  void aResultIsWaitedForWhileALibraryServerOfTheSameDefinitionsDoesTheWork() {
    assertThat(TaskDefinitions.of(fixture.redis).all()).containsKeys("dump", "plain");
    String id =
        fixture
            .post("/v1/tasks", "{\"name\":\"dump\",\"params\":{\"feature\":\"f\"}}")
            .at("/task/id")
            .stringValue();
    assertThat(fixture.get("/v1/tasks/" + id + "?wait=100ms").at("/task/state").stringValue())
        .isEqualTo("pending");
    CompletableFuture<Reply> waiting =
        fixture.sendAsync("GET", "/v1/tasks/" + id + "?wait=20s", "");
    try (TaskServer server =
        TaskServer.fromDefinitions(
            fixture.redis,
            List.of(),
            Map.of("dump", (task, context) -> Outcome.done(Map.of("rows", 3))))) {
      server.start();
      Reply reply = waiting.join();
      assertThat(reply.at("/task/state").stringValue()).isEqualTo("completed");
      assertThat(reply.at("/task/result/rows").intValue()).isEqualTo(3);
    }
    assertThat(fixture.get("/v1/tasks/" + id + "?wait=2h").status()).isEqualTo(422);
  }

  @Test
  void aTaskIsCancelledAndRunAgain() {
    fixture.post("/v1/tasks", "{\"name\":\"plain\",\"id\":\"c1\",\"in\":\"1h\"}");
    Reply cancelled = fixture.post("/v1/tasks/c1/cancel", "");
    assertThat(cancelled.at("/task/state").stringValue()).isEqualTo("archived");
    Reply again = fixture.post("/v1/tasks/c1/retry", "");
    assertThat(again.at("/task/state").stringValue()).isEqualTo("pending");
    assertThat(fixture.post("/v1/tasks/c1/retry", "").status()).isEqualTo(409);
  }

  @Test
  void tasksOfSeveralNamesMayHaveTheSameId() {
    fixture.post("/v1/tasks", "{\"name\":\"plain\",\"id\":\"same\"}");
    fixture.post("/v1/tasks", "{\"name\":\"once\",\"id\":\"same\",\"params\":{\"n\":9}}");
    assertThat(fixture.get("/v1/tasks/same").status()).isEqualTo(409);
    assertThat(fixture.get("/v1/tasks/same?name=once").at("/task/name").stringValue())
        .isEqualTo("once");
  }

  @Test
  void workersDefinitionsMayBePutByRequestsAndHostedOnesNot() {
    assertThat(
            fixture
                .send("PUT", "/v1/definitions/added", "{\"maxRun\":2,\"backoff\":\"5s\"}")
                .status())
        .isEqualTo(200);
    assertThat(fixture.post("/v1/tasks", "{\"name\":\"added\"}").status()).isEqualTo(201);
    assertThat(fixture.get("/v1/definitions").body()).contains("\"added\"");
    assertThat(fixture.send("PUT", "/v1/definitions/evil", "{\"kind\":\"cmd\"}").status())
        .isEqualTo(422);
    assertThat(fixture.send("PUT", "/v1/definitions/plain", "{}").status()).isEqualTo(409);
    assertThat(fixture.send("DELETE", "/v1/definitions/added", "").status()).isEqualTo(200);
    assertThat(fixture.post("/v1/tasks", "{\"name\":\"added\"}").status()).isEqualTo(422);
  }

  @Test
  void itReportsThatItIsAliveAndReady() {
    assertThat(fixture.get("/livez").status()).isEqualTo(200);
    assertThat(fixture.get("/readyz").status()).isEqualTo(200);
  }

  @Test
  void paramsOfAMebibyteAndMoreAreAcceptedWhereTheLimitOfBodiesAllowsThem() {
    String params = "{\"text\":\"%s\"}".formatted("x".repeat(1 << 20));
    try (ServiceFixture large = new ServiceFixture()) {
      large.start("limits: { body: 4MiB, batch: 8MiB }\ntasks: { big: { kind: worker } }");

      Reply reply =
          large.post(
              "/v1/tasks", "{\"name\":\"big\",\"id\":\"1\",\"params\":%s}".formatted(params));

      assertThat(reply.status()).as(reply.body()).isEqualTo(201);
      assertThat(large.inspector.queue("big").task("1").payload().utf8()).isEqualTo(params);
    }
  }
}
