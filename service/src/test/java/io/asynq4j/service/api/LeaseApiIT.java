package io.asynq4j.service.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.http.Json;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.ServiceFixture.Reply;
import io.asynq4j.service.lease.LeaseToken;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The lease protocol, by plain requests. */
class LeaseApiIT {

  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
    fixture.start(
        """
        tasks:
          a: { kind: worker, retention: 1h, backoff: 1h, longestBackoff: 1h }
          b: { kind: worker }
          limited: { kind: worker, maxRun: 1 }
          line: { kind: worker, ordered: true, backoff: 1s, longestBackoff: 1s }
          short: { kind: worker, timeout: 1s }
          hosted: { kind: cmd, cmd: { program: /bin/cat } }
        """);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void submit(String name, String id) {
    Reply reply = fixture.post("/v1/tasks", "{\"name\":\"%s\",\"id\":\"%s\"}".formatted(name, id));
    assertThat(reply.status()).isEqualTo(201);
  }

  private JsonNode lease(String name, String more) {
    return fixture.post("/v1/lease", "{\"names\":[\"%s\"]%s}".formatted(name, more)).at("/tasks");
  }

  private String leaseOne(String name) {
    JsonNode tasks = lease(name, ",\"wait\":\"5s\"");
    assertThat(tasks).as("a task of %s", name).hasSize(1);
    return tasks.get(0).get("token").stringValue();
  }

  private Reply settle(String verb, String token, String more) {
    return fixture.post("/v1/" + verb, "{\"token\":\"%s\"%s}".formatted(token, more));
  }

  private TaskInfo task(String name, String id) {
    return fixture.inspector.queue(name).task(id);
  }

  @Test
  void aTaskIsLeasedWithItsDataAndCompletedOnce() {
    fixture.post("/v1/tasks", "{\"name\":\"a\",\"id\":\"1\",\"params\":{\"x\":7}}");
    JsonNode leased = lease("a", "").get(0);
    assertThat(leased.at("/params/x").intValue()).isEqualTo(7);
    assertThat(leased.get("attempt").intValue()).isEqualTo(1);
    String token = leased.get("token").stringValue();
    assertThat(settle("progress", token, ",\"percent\":40,\"note\":\"on it\"").status())
        .isEqualTo(200);
    assertThat(fixture.get("/v1/tasks/1").at("/task/progress/percent").intValue()).isEqualTo(40);
    assertThat(settle("extend", token, ",\"lease\":\"60s\"").at("/state").stringValue())
        .isEqualTo("leased");
    assertThat(settle("complete", token, ",\"result\":[1,2]").at("/state").stringValue())
        .isEqualTo("completed");
    assertThat(task("a", "1").result().utf8()).isEqualTo("[1,2]");
    assertThat(settle("complete", token, "").status()).isEqualTo(409);
    assertThat(settle("complete", "nonsense", "").status()).isEqualTo(422);
  }

  @Test
  void failuresAreRetriedAsTheDefinitionOrTheWorkerDecidesOrArchived() {
    submit("a", "1");
    assertThat(settle("fail", leaseOne("a"), ",\"error\":\"oh\"").at("/state").stringValue())
        .isEqualTo("retried");
    assertThat(task("a", "1").lastError()).isEqualTo("oh");
    assertThat(task("a", "1").nextProcessAt())
        .isAfter(fixture.redis.clock().instant().plus(Duration.ofMinutes(50)));
    fixture.inspector.queue("a").run("1");
    settle("fail", leaseOne("a"), ",\"error\":\"oh\",\"in\":\"10m\"");
    assertThat(task("a", "1").nextProcessAt())
        .isBefore(fixture.redis.clock().instant().plus(Duration.ofMinutes(11)));
    fixture.inspector.queue("a").run("1");
    settle("snooze", leaseOne("a"), ",\"in\":\"5m\"");
    assertThat(task("a", "1").state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(task("a", "1").retried()).isEqualTo(2);
    fixture.inspector.queue("a").run("1");
    settle("release", leaseOne("a"), "");
    assertThat(task("a", "1").state()).isEqualTo(TaskState.PENDING);
    settle("fail", leaseOne("a"), ",\"error\":\"never\",\"retry\":false");
    assertThat(task("a", "1").state()).isEqualTo(TaskState.ARCHIVED);
  }

  @Test
  void manyAreSettledTogetherAndEachIsAnswered() {
    submit("a", "1");
    submit("a", "2");
    JsonNode leased = lease("a", ",\"max\":10");
    String one = leased.get(0).get("token").stringValue();
    String two = leased.get(1).get("token").stringValue();
    settle("complete", one, "");
    Reply reply =
        fixture.post(
            "/v1/complete",
            "{\"tasks\":[{\"token\":\"%s\"},{\"token\":\"%s\"}]}".formatted(one, two));
    assertThat(reply.at("/tasks/0/state").stringValue()).isEqualTo("lost");
    assertThat(reply.at("/tasks/1/state").stringValue()).isEqualTo("completed");
  }

  @Test
  void aWorkerLearnsThatItsTaskWasCancelledAndTheTaskEndsAsRequested() {
    submit("a", "1");
    submit("a", "2");
    String one = leaseOne("a");
    String two = leaseOne("a");
    assertThat(fixture.post("/v1/tasks/1/cancel?name=a", "").status()).isEqualTo(200);

    Reply both =
        fixture.post(
            "/v1/extend",
            "{\"tasks\":[{\"token\":\"%s\"},{\"token\":\"%s\",\"lease\":\"50s\"}]}"
                .formatted(one, two));
    assertThat(both.at("/tasks/0/state").stringValue()).isEqualTo("cancelled");
    assertThat(both.at("/tasks/1/state").stringValue()).isEqualTo("leased");
    assertThat(settle("progress", one, "").at("/state").stringValue()).isEqualTo("cancelled");
    assertThat(settle("fail", one, ",\"error\":\"stopped\"").at("/state").stringValue())
        .isEqualTo("archived");
    assertThat(task("a", "1").lastError()).isEqualTo("cancelled by an operator");
    assertThat(settle("complete", two, "").status()).isEqualTo(200);
  }

  @Test
  void aLargeBatchIsSettledInFull() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      lines.append("{\"name\":\"a\",\"id\":\"").append(i).append("\"}\n");
    }
    fixture.post("/v1/tasks", lines.toString(), "Content-Type", "application/x-ndjson");
    JsonNode leased = lease("a", ",\"max\":50");
    assertThat(leased).hasSize(50);
    ObjectNode body = Json.object();
    leased.forEach(
        task -> body.withArray("tasks").addObject().put("token", task.get("token").stringValue()));
    Reply reply = fixture.post("/v1/complete", body.toString());
    assertThat(reply.at("/tasks")).hasSize(50);
    assertThat(reply.at("/tasks"))
        .allSatisfy(task -> assertThat(task.get("state").stringValue()).isEqualTo("completed"));
    assertThat(fixture.inspector.queue("a").snapshot().size(TaskState.COMPLETED)).isEqualTo(50);
  }

  @Test
  void theProgressOfManyIsWrittenInOneCall() throws IOException {
    for (int i = 0; i < 20; i++) {
      submit("a", Integer.toString(i));
    }
    ObjectNode body = Json.object();
    lease("a", ",\"max\":20")
        .forEach(
            task ->
                body.withArray("tasks")
                    .addObject()
                    .put("token", task.get("token").stringValue())
                    .put("percent", 10 + Integer.parseInt(task.get("id").stringValue())));
    settle("release", body.at("/tasks/3/token").stringValue(), "");
    long before = fixture.scriptCalls();
    Reply reply = fixture.post("/v1/progress", body.toString());
    // One call reads the leases and one writes, apart from calls of the servers themselves.
    assertThat(fixture.scriptCalls() - before).isLessThan(15);
    assertThat(reply.at("/tasks")).hasSize(20);
    assertThat(reply.at("/tasks/3/state").stringValue()).isEqualTo("lost");
    assertThat(reply.at("/tasks/4/state").stringValue()).isEqualTo("leased");
    assertThat(fixture.get("/v1/tasks/19").at("/task/progress/percent").intValue()).isEqualTo(29);
    ((ObjectNode) body.at("/tasks/7")).put("percent", 101);
    ((ObjectNode) body.at("/tasks/6")).put("percent", 99);
    assertThat(fixture.post("/v1/progress", body.toString()).status()).isEqualTo(422);
    // An invalid field in a batch: nothing was written.
    assertThat(fixture.get("/v1/tasks/6").at("/task/progress/percent").intValue()).isEqualTo(16);
  }

  @Test
  void onlyTasksOfWorkersAreLeased() {
    assertThat(fixture.post("/v1/lease", "{\"names\":[\"hosted\"]}").status()).isEqualTo(422);
    assertThat(fixture.post("/v1/lease", "{\"names\":[\"nobody\"]}").status()).isEqualTo(422);
    assertThat(fixture.post("/v1/lease", "{\"names\":[]}").status()).isEqualTo(422);
    assertThat(fixture.post("/v1/lease", "{\"names\":[\"a\"],\"lease\":\"2h\"}").status())
        .isEqualTo(422);
  }

  @Test
  void aWaitingWorkerIsAnsweredAtOnceAndGetsNothingAfterItsWaitTime() {
    CompletableFuture<Reply> waiting =
        fixture.sendAsync("POST", "/v1/lease", "{\"names\":[\"a\",\"b\"],\"wait\":\"20s\"}");
    assertThat(lease("b", ",\"wait\":\"300ms\"")).isEmpty();
    long begin = System.nanoTime();
    submit("b", "1");
    Reply reply = waiting.join();
    assertThat(reply.at("/tasks/0/id").stringValue()).isEqualTo("1");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
  }

  @Test
  void aFreedPlaceIsGivenToAWaitingCaller() {
    submit("limited", "1");
    submit("limited", "2");
    String first = leaseOne("limited");
    CompletableFuture<Reply> waiting =
        fixture.sendAsync("POST", "/v1/lease", "{\"names\":[\"limited\"],\"wait\":\"20s\"}");
    assertThat(lease("limited", ",\"wait\":\"200ms\"")).isEmpty();
    assertThat(waiting).isNotDone();
    settle("complete", first, "");
    assertThat(waiting.join().at("/tasks/0/id").stringValue()).isEqualTo("2");
  }

  @Test
  void aFailedTaskBlocksTheQueueOfAnOrderedName() {
    submit("line", "1");
    submit("line", "2");
    settle("fail", leaseOne("line"), ",\"error\":\"not yet\"");
    JsonNode next = lease("line", ",\"max\":5,\"wait\":\"10s\"");
    assertThat(next).hasSize(1);
    assertThat(next.get(0).get("id").stringValue()).isEqualTo("1");
    assertThat(lease("line", "")).isEmpty();
    settle("complete", next.get(0).get("token").stringValue(), "");
    assertThat(lease("line", ",\"wait\":\"5s\"").get(0).get("id").stringValue()).isEqualTo("2");
  }

  @Test
  void aLeaseThatIsNotExtendedGoesToAnother() {
    submit("a", "1");
    String lost = lease("a", ",\"lease\":\"1s\"").get(0).get("token").stringValue();
    String next = leaseOneWithin("a", Duration.ofSeconds(10));
    assertThat(settle("complete", lost, "").status()).isEqualTo(409);
    assertThat(settle("complete", next, "").status()).isEqualTo(200);
  }

  private String leaseOneWithin(String name, Duration wait) {
    JsonNode tasks = lease(name, ",\"wait\":\"%ds\"".formatted(wait.toSeconds()));
    assertThat(tasks).hasSize(1);
    return tasks.get(0).get("token").stringValue();
  }

  @Test
  void anAttemptThatTakesLongerThanItsTimeoutIsNotExtended() {
    submit("short", "1");
    String token = leaseOne("short");
    await().until(() -> settle("extend", token, "").status() == 409);
    assertThat(task("short", "1").state()).isEqualTo(TaskState.RETRY);
    assertThat(task("short", "1").lastError()).contains("timeout");
  }

  @Test
  void anAttemptThatIsOverByAClockThatMayHaveBeenSetIsLostAndCostsNoRetry() throws IOException {
    submit("a", "1");
    LeaseProof proof = LeaseToken.parse(leaseOne("a")).orElseThrow();
    int end = proof.token().indexOf('.');
    // The last nine digits are the time of the claim: an hour ago, before the service started.
    String made = Long.toString(fixture.redis.clock().millis() - 3_600_000, 36);
    String claim = proof.token().substring(0, end - 9) + "0".repeat(9 - made.length()) + made;
    fixture.redis("HSET asynq:{a}:t:1 claim " + claim);
    String token = LeaseToken.of(new LeaseProof("a", "1", claim + proof.token().substring(end)));

    assertThat(settle("extend", token, "").status()).isEqualTo(409);

    String next = leaseOneWithin("a", Duration.ofSeconds(30));
    assertThat(task("a", "1").retried()).isZero();
    assertThat(settle("complete", next, "").status()).isEqualTo(200);
  }
}
