package io.asynq4j.service.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.Json;
import io.asynq4j.server.TaskServer;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.api.Problems;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tasks and URLs that are called before and after other tasks. */
class FollowUpTasksIT {

  private HttpServer target;
  private ServiceFixture fixture;
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final List<String> signatures = new CopyOnWriteArrayList<>();
  private final AtomicInteger refusals = new AtomicInteger(1);

  @BeforeEach
  void start() throws IOException {
    target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    target.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          boolean refused = refusals.getAndDecrement() > 0;
          if (!refused) {
            received.add(body);
            signatures.add(
                String.valueOf(exchange.getRequestHeaders().getFirst("X-Asynq-Signature")));
          } else {
            exchange.getResponseHeaders().add("Retry-After", "1");
          }
          exchange.sendResponseHeaders(refused ? 503 : 204, -1);
          exchange.close();
        });
    target.start();
    fixture = new ServiceFixture();
    fixture.start(
        """
        http: { allow: [127.0.0.1] }
        tasks:
          note: { kind: worker }
          good: { kind: cmd, retention: 1h, cmd: { program: /bin/cat }, callbacks: {
            before: { task: note }, success: { url: "http://127.0.0.1:%1$d/", secret: "a secret of 16 chars" } } }
          bad: { kind: cmd, retries: 1, backoff: 1h, cmd: { program: /bin/false }, callbacks: { failure: { task: note } } }
          leased: { kind: worker, retention: 1h, retries: 0, callbacks: {
            before: { task: note }, success: { task: note }, failure: { task: note } } }
        """
            .formatted(target.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    fixture.close();
    target.stop(0);
  }

  private JsonNode note() {
    JsonNode tasks =
        fixture.post("/v1/lease", "{\"names\":[\"note\"],\"wait\":\"5s\"}").at("/tasks");
    assertThat(tasks).hasSize(1);
    complete(tasks.get(0));
    return tasks.get(0).get("params");
  }

  private void complete(JsonNode task) {
    fixture.post(
        "/v1/complete",
        "{\"token\":\"%s\",\"result\":5}".formatted(task.get("token").stringValue()));
  }

  @Test
  void aUrlIsNotifiedOfASuccessSignedAndUntilItAnswers() {
    fixture.post("/v1/tasks", "{\"name\":\"good\",\"id\":\"1\",\"params\":{\"x\":7}}");
    JsonNode before = note();
    assertThat(before.get("event").stringValue()).isEqualTo("before");
    assertThat(before.at("/params/x").intValue()).isEqualTo(7);
    await().until(() -> received.size() == 1);
    JsonNode success =
        Json.parse(received.get(0).getBytes(StandardCharsets.UTF_8), "it", Problems.FACTORY);
    assertThat(success.get("event").stringValue()).isEqualTo("success");
    assertThat(success.get("id").stringValue()).isEqualTo("1");
    assertThat(success.get("name").stringValue()).isEqualTo("good");
    assertThat(success.at("/result/x").intValue()).isEqualTo(7);
    assertThat(signatures.get(0)).startsWith("t=");
    assertThat(fixture.inspector.queue("good").task("1").state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void aTaskIsNotifiedOfAFailureAndWhetherItIsTheLast() {
    fixture.post("/v1/tasks", "{\"name\":\"bad\",\"id\":\"1\"}");
    JsonNode first = note();
    assertThat(first.get("event").stringValue()).isEqualTo("failure");
    assertThat(first.get("error").stringValue()).contains("exited with code 1");
    assertThat(first.get("willRetry").booleanValue()).isTrue();
    await().until(() -> fixture.inspector.queue("bad").task("1").state() == TaskState.RETRY);
    fixture.inspector.queue("bad").run("1");
    JsonNode last = note();
    assertThat(last.get("attempt").intValue()).isEqualTo(2);
    assertThat(last.get("willRetry").booleanValue()).isFalse();
  }

  @Test
  void leasedTasksAreFollowedUpToo() {
    fixture.post("/v1/tasks", "{\"name\":\"leased\",\"id\":\"1\"}");
    JsonNode leased = fixture.post("/v1/lease", "{\"names\":[\"leased\"]}").at("/tasks/0");
    assertThat(note().get("event").stringValue()).isEqualTo("before");
    complete(leased);
    JsonNode success = note();
    assertThat(success.get("event").stringValue()).isEqualTo("success");
    assertThat(success.get("result").intValue()).isEqualTo(5);

    fixture.post("/v1/tasks", "{\"name\":\"leased\",\"id\":\"2\"}");
    JsonNode failing = fixture.post("/v1/lease", "{\"names\":[\"leased\"]}").at("/tasks/0");
    note();
    fixture.post(
        "/v1/fail",
        "{\"token\":\"%s\",\"error\":\"oh\"}".formatted(failing.get("token").stringValue()));
    JsonNode failure = note();
    assertThat(failure.get("error").stringValue()).isEqualTo("oh");
    assertThat(failure.get("willRetry").booleanValue()).isFalse();
  }

  @Test
  void aLongErrorIsCutForTheTaskAndForItsFollowUp() {
    fixture.post("/v1/tasks", "{\"name\":\"leased\",\"id\":\"1\"}");
    JsonNode failing = fixture.post("/v1/lease", "{\"names\":[\"leased\"]}").at("/tasks/0");
    note();
    fixture.post(
        "/v1/fail",
        "{\"token\":\"%s\",\"error\":\"%s\"}"
            .formatted(failing.get("token").stringValue(), "x".repeat(2_001)));

    String cut = "x".repeat(2_000) + "…";
    assertThat(note().get("error").stringValue()).isEqualTo(cut);
    assertThat(fixture.inspector.queue("leased").task("1").lastError()).isEqualTo(cut);
  }

  @Test
  void aServerThatEmbedsTheLibraryFollowsUpWithTheMiddleware() {
    try (TaskServer server =
        TaskServer.fromDefinitions(
            fixture.redis,
            List.of(FollowUpMiddleware.of(fixture.redis)),
            Map.of("leased", (task, context) -> Outcome.done(Map.of("y", 9))))) {
      server.start();
      fixture.post("/v1/tasks", "{\"name\":\"leased\",\"id\":\"1\"}");
      assertThat(note().get("event").stringValue()).isEqualTo("before");
      assertThat(note().at("/result/y").intValue()).isEqualTo(9);
      await()
          .until(() -> fixture.inspector.queue("leased").task("1").state() == TaskState.COMPLETED);
      TaskInfo done = fixture.inspector.queue("leased").task("1");
      assertThat(done.retried()).isZero();
    }
  }
}
