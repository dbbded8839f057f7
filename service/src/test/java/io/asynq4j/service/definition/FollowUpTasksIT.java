package io.asynq4j.service.definition;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.handler.Outcome;
import io.asynq4j.http.Json;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.server.TaskServer;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.response.Problems;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
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
          retried: { kind: worker, retention: 1h, retries: 3, backoff: 1h, callbacks: {
            success: { task: note }, failure: { task: note } } }
          strict: { kind: cmd, retries: 3, cmd: { program: /bin/echo, args: ["{params.x}"] }, callbacks: {
            failure: { task: note } } }
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
  void aHostedTaskThatThrowsItsOutcomeIsFollowedUpByThatOutcome() {
    fixture.post("/v1/tasks", "{\"name\":\"strict\",\"id\":\"1\"}");
    JsonNode failure = note();
    assertThat(failure.get("error").stringValue())
        .isEqualTo("params.x is missing or not a single value");
    assertThat(failure.get("willRetry").booleanValue()).isFalse();
  }

  /** What a handler throws in its attempts, by the ID of the task. */
  private static Map<String, List<Throwable>> thrown() {
    return Map.of(
        "done", List.of(Outcome.done(7).asException()),
        "wrapped", List.of(new IllegalStateException("w", Outcome.done(7).asException())),
        "snoozed", List.of(Outcome.snooze(Duration.ofHours(1)).asException()),
        "requeued", List.of(Outcome.requeue().asException(), Outcome.drop().asException()),
        "archived", List.of(Outcome.archive("bad").asException()),
        "retried", List.of(Outcome.retry("busy").asException()),
        "unreadable", List.of(new PayloadException("no number", null)),
        "failed", List.of(new IOException("reset")),
        "crashed", List.of(new AssertionError("bug")),
        "interrupted", List.of(new CancellationException("its handler archives it")));
  }

  /** The follow-ups of a task and its state, after it has run. */
  private String ended(String id) {
    await().until(() -> !Set.of("PENDING", "ACTIVE").contains(state(id)));
    String sent =
        fixture
            .inspector
            .queue("note")
            .tasks(TaskState.PENDING, PageRequest.first(100))
            .tasks()
            .stream()
            .map(task -> Json.parse(task.payload().bytes(), "it", Problems.FACTORY))
            .filter(params -> params.get("id").stringValue().equals(id))
            .map(
                params ->
                    params.get("event").stringValue()
                        + " "
                        + params.path("result").asString("")
                        + params.path("error").asString("")
                        + (params.path("willRetry").asBoolean(false) ? ", will retry" : ""))
            .collect(joining("; "));
    return sent + " -> " + state(id);
  }

  private String state(String id) {
    try {
      return fixture.inspector.queue("retried").task(id).state().name();
    } catch (TaskNotFoundException e) {
      return "gone";
    }
  }

  @Test
  void anAttemptIsFollowedUpByTheOutcomeThatIsAppliedToWhatItsHandlerThrows() {
    Map<String, Queue<Throwable>> left = new ConcurrentHashMap<>();
    thrown().forEach((id, all) -> left.put(id, new ArrayDeque<>(all)));
    try (TaskServer server =
        TaskServer.fromDefinitions(
            fixture.redis,
            List.of(FollowUpMiddleware.of(fixture.redis)),
            Map.of(
                "retried",
                (task, context) -> {
                  Throwable next = requireNonNull(left.get(context.id())).remove();
                  if (next instanceof Error error) {
                    throw error;
                  }
                  if (next instanceof CancellationException) {
                    Thread.currentThread().interrupt();
                    return Outcome.archive("stopped");
                  }
                  throw (Exception) next;
                }))) {
      server.start();
      left.keySet()
          .forEach(
              id ->
                  fixture.post("/v1/tasks", "{\"name\":\"retried\",\"id\":\"%s\"}".formatted(id)));
      Map<String, String> ended = new HashMap<>();
      left.keySet().forEach(id -> ended.put(id, ended(id)));

      assertThat(ended)
          .containsOnly(
              entry("done", "success 7 -> COMPLETED"),
              entry("wrapped", "success 7 -> COMPLETED"),
              entry("snoozed", " -> SCHEDULED"),
              entry("requeued", " -> gone"),
              entry("archived", "failure bad -> ARCHIVED"),
              entry("retried", "failure busy, will retry -> RETRY"),
              entry(
                  "unreadable", "failure io.asynq4j.codec.PayloadException: no number -> ARCHIVED"),
              entry("failed", "failure java.io.IOException: reset, will retry -> RETRY"),
              entry("crashed", "failure java.lang.AssertionError: bug, will retry -> RETRY"),
              entry("interrupted", "failure stopped -> ARCHIVED"));
    }
  }

  @Test
  void aCancelledTaskIsFollowedUpByTheOutcomeOfItsCancellation() {
    fixture.post("/v1/tasks", "{\"name\":\"retried\",\"id\":\"1\"}");
    JsonNode leased = fixture.post("/v1/lease", "{\"names\":[\"retried\"]}").at("/tasks/0");
    fixture.post("/v1/tasks/1/cancel", "");
    fixture.post(
        "/v1/fail",
        "{\"token\":\"%s\",\"error\":\"oh\"}".formatted(leased.get("token").stringValue()));
    JsonNode failure = note();
    assertThat(failure.get("error").stringValue())
        .isEqualTo(fixture.inspector.queue("retried").task("1").lastError());
    assertThat(failure.get("willRetry").booleanValue()).isFalse();
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
  void whatAHandlerThrowsDecidesEvenIfItsFollowUpCannotBeEnqueued() throws IOException {
    fixture.redis("SET asynq:{note}:pending wrong-type");
    try (TaskServer server =
        TaskServer.fromDefinitions(
            fixture.redis,
            List.of(FollowUpMiddleware.of(fixture.redis)),
            Map.of(
                "retried",
                (task, context) -> {
                  throw Outcome.archive("bad").asException();
                }))) {
      server.start();
      fixture.post("/v1/tasks", "{\"name\":\"retried\",\"id\":\"1\"}");
      await().until(() -> state("1").equals("ARCHIVED"));
      assertThat(fixture.inspector.queue("retried").task("1").lastError()).isEqualTo("bad");
    }
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
