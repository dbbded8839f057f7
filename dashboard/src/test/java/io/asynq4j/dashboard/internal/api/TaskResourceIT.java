package io.asynq4j.dashboard.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.dashboard.StuckServer;
import io.asynq4j.http.Json;
import io.asynq4j.inspect.PageRequest;
import io.asynq4j.inspect.TaskAction;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tasks over HTTP. */
class TaskResourceIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @Test
  void listsTasksInPagesByCursor() {
    for (int i = 0; i < 23; i++) {
      int number = i;
      on.enqueue("mail", "t", o -> o.id("id%02d".formatted(number)));
    }
    Dashboard dashboard = on.start();
    String path = "/queues/mail/tasks?state=pending&limit=10";

    JsonNode first = on.api(dashboard, path).get().is(200).json();
    JsonNode second =
        on.api(dashboard, path + "&cursor=" + first.get("cursor").stringValue()).get().json();
    JsonNode third =
        on.api(dashboard, path + "&cursor=" + second.get("cursor").stringValue()).get().json();

    assertThat(first.get("total").intValue()).isEqualTo(23);
    assertThat(first.get("items").findValuesAsString("id")).hasSize(10).startsWith("id00", "id01");
    assertThat(second.get("items").findValuesAsString("id")).hasSize(10).startsWith("id10");
    assertThat(third.get("items").findValuesAsString("id")).containsExactly("id20", "id21", "id22");
    assertThat(third.get("cursor").isNull()).isTrue();
    on.api(dashboard, "/queues/mail/tasks").get().isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail/tasks?state=dead").get().isProblem(422, "unprocessable");
    on.api(dashboard, "/queues/nobody/tasks?state=pending").get().isProblem(404, "queue-not-found");
  }

  @Test
  void enqueuesWithAllOptions() {
    Dashboard dashboard = on.start();

    DashboardFixture.Answer answer =
        on.api(dashboard, "/queues/mail/tasks")
            .post(
                """
                {"type":"email:welcome","payload":{"user":42,"price":1.10},"id":"a/b","maxRetry":3,
                 "timeout":"1m30s","retention":"PT1H","uniqueFor":"1h","processIn":"2d","headers":{"trace":"x"}}
                """)
            .is(201);

    TaskInfo task = on.inspector.queue("mail").task("a/b");
    assertThat(task.payload().utf8()).isEqualTo("{\"user\":42,\"price\":1.10}");
    assertThat(task.maxRetry()).isEqualTo(3);
    assertThat(task.timeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(task.retention()).isEqualTo(Duration.ofHours(1));
    assertThat(task.headers()).isEqualTo(Map.of("trace", "x"));
    assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
    assertThat(task.uniqueKey()).isNotEmpty();
    String location = answer.header("Location");
    assertThat(on.call(dashboard, location).get().is(200).json().get("id").stringValue())
        .isEqualTo("a/b");
    JsonNode conflict =
        on.api(dashboard, "/queues/mail/tasks")
            .post(
                "{\"type\":\"email:welcome\",\"payload\":{\"user\":42,\"price\":1.10},\"uniqueFor\":\"1h\"}")
            .isProblem(409, "duplicate")
            .json();
    assertThat(conflict.get("holderId").stringValue()).isEqualTo("a/b");
    on.api(dashboard, "/queues/mail/tasks")
        .post("{\"type\":\"other\",\"id\":\"a/b\"}")
        .isProblem(409, "id-conflict");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"type\":\"\"}",
        "{\"type\":\"t\",\"timeout\":\"soon\"}",
        "{\"type\":\"t\",\"maxRetry\":-1}",
        "{\"type\":\"t\",\"processAt\":\"tomorrow\"}",
        "{\"type\":\"t\",\"payload\":1,\"payloadText\":\"x\"}",
        "{\"type\":\"t\",\"payloadBase64\":\"***\"}"
      })
  void rejectsInvalidTasks(String body) {
    Dashboard dashboard = on.start();

    on.api(dashboard, "/queues/mail/tasks").post(body).isProblem(422, "unprocessable");

    assertThat(on.inspector.queues()).isEmpty();
  }

  @Test
  void rejectsBodiesThatAreNotJson() {
    Dashboard dashboard = on.start();

    on.api(dashboard, "/queues/mail/tasks").post("type=t").isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail/tasks")
        .post("{\"type\":\"t\",\"type\":\"u\"}")
        .isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail/tasks")
        .post("{\"type\":\"" + "x".repeat(13 << 20) + "\"}")
        .isProblem(413, "too-large");
  }

  @Test
  void aFullArchiveIsLeftAsItIsUnlessTheOldestMayBeDropped() {
    Dashboard dashboard = on.start(builder -> builder.archive(a -> a.maxSize(2)));
    for (String id : List.of("a", "b", "c", "d", "e")) {
      on.enqueue("mail", "t", o -> o.id(id).processIn(Duration.ofHours(1)));
    }

    JsonNode report =
        on.api(dashboard, "/queues/mail/tasks/batch")
            .post("{\"action\":\"archive\",\"ids\":[\"a\",\"b\",\"c\"]}")
            .is(200)
            .json();
    assertThat(report.get("done").intValue()).isEqualTo(2);
    assertThat(report.get("dropped").intValue()).isZero();
    assertThat(report.at("/failures/0/problem").stringValue()).contains("full");
    on.api(dashboard, "/queues/mail/tasks/c/archive").post("").isProblem(409, "wrong-state");
    assertThat(on.inspector.queue("mail").snapshot().size(TaskState.SCHEDULED)).isEqualTo(3);

    on.api(dashboard, "/queues/mail/tasks/c/archive?dropOldest=true").post("").is(204);
    JsonNode allowed =
        on.api(dashboard, "/queues/mail/tasks/batch")
            .post("{\"action\":\"archive\",\"ids\":[\"d\",\"e\"],\"dropOldest\":true}")
            .is(200)
            .json();
    assertThat(allowed.get("done").intValue()).isEqualTo(2);
    assertThat(allowed.get("dropped").intValue()).isEqualTo(2);
    assertThat(on.inspector.queue("mail").snapshot().size(TaskState.ARCHIVED)).isEqualTo(2);
  }

  @Test
  void performsEachActionOnATask() {
    Dashboard dashboard = on.start();
    on.enqueue("mail", "t", o -> o.id("a").processIn(Duration.ofHours(1)));
    String task = "/queues/mail/tasks/a";

    on.api(dashboard, task + "/archive").post("").is(204);
    assertThat(on.inspector.queue("mail").task("a").state()).isEqualTo(TaskState.ARCHIVED);
    on.api(dashboard, task + "/archive").post("").isProblem(409, "wrong-state");
    on.api(dashboard, task + "/reschedule").post("{\"in\":\"1h\"}").is(204);
    assertThat(on.inspector.queue("mail").task("a").nextProcessAt())
        .isAfter(Instant.now().plus(Duration.ofMinutes(50)));
    on.api(dashboard, task + "/reschedule").post("{}").isProblem(422, "unprocessable");
    on.api(dashboard, task + "/payload").put("{\"payloadText\":\"new\"}").is(204);
    on.api(dashboard, task + "/payload").put("").isProblem(400, "bad-request");
    assertThat(on.inspector.queue("mail").task("a").payload()).isEqualTo(Payload.ofUtf8("new"));
    on.api(dashboard, task + "/run").post("").is(204);
    assertThat(on.inspector.queue("mail").task("a").state()).isEqualTo(TaskState.PENDING);
    on.api(dashboard, task + "/cancel").post("").isProblem(409, "wrong-state");
    on.api(dashboard, task + "/move").post("{\"queue\":\"other\"}").is(204);
    assertThat(on.inspector.queue("other").task("a").payload().utf8()).isEqualTo("new");
    on.api(dashboard, task).get().isProblem(404, "task-not-found");
    JsonNode copy =
        on.api(dashboard, "/queues/other/tasks/a/copy")
            .post("{\"queue\":\"mail\",\"payload\":{\"x\":1},\"maxRetry\":1}")
            .is(201)
            .json();
    TaskInfo copied = on.inspector.queue("mail").task(copy.get("id").stringValue());
    assertThat(copied.payload().utf8()).isEqualTo("{\"x\":1}");
    assertThat(copied.maxRetry()).isEqualTo(1);
    JsonNode same = on.api(dashboard, "/queues/other/tasks/a/copy").post("").is(201).json();
    assertThat(on.inspector.queue("other").task(same.get("id").stringValue()).payload().utf8())
        .isEqualTo("new");
    on.api(dashboard, "/queues/other/tasks/a").delete().is(204);
    on.api(dashboard, "/queues/other/tasks/a").delete().isProblem(404, "task-not-found");
    on.api(dashboard, "/queues/other/tasks/a/run").post("").isProblem(404, "task-not-found");
  }

  @Test
  void aCopyWithAnotherPayloadKeepsTheDeadlineAndTheGroupOfTheTask() {
    Instant deadline = Instant.parse("2100-01-01T00:00:00Z");
    on.enqueue("mail", "t", o -> o.id("a").deadline(deadline).group("g").header("h", "v"));
    Dashboard dashboard = on.start();

    JsonNode copy =
        on.api(dashboard, "/queues/mail/tasks/a/copy")
            .post("{\"payload\":{\"x\":1},\"headers\":{\"more\":\"w\"}}")
            .is(201)
            .json();

    TaskInfo copied = on.inspector.queue("mail").task(copy.get("id").stringValue());
    assertThat(copied.payload().utf8()).isEqualTo("{\"x\":1}");
    assertThat(copied.deadline()).isEqualTo(deadline);
    assertThat(copied.headers()).isEqualTo(Map.of("h", "v", "more", "w"));
    assertThat(on.inspector.queue("mail").groups()).isEqualTo(Map.of("g", 2L));
  }

  @Test
  void aCopyThatExistsAlreadyIsADuplicateOrAnIdConflict() {
    on.enqueue("mail", "t", o -> o.id("a"));
    Dashboard dashboard = on.start();
    String copy = "/queues/mail/tasks/a/copy";
    for (String payload : List.of("", "\"payload\":{\"x\":1},")) {
      on.api(dashboard, copy).post("{" + payload + "\"uniqueFor\":\"1h\"}").is(201);
      on.api(dashboard, copy)
          .post("{" + payload + "\"uniqueFor\":\"1h\"}")
          .isProblem(409, "duplicate");
      on.api(dashboard, copy).post("{" + payload + "\"id\":\"a\"}").isProblem(409, "id-conflict");
    }
  }

  @Test
  void aPayloadIsReplacedAndTheTaskRunAgainAtOnce() {
    on.enqueue("mail", "email", o -> o.id("a"));
    on.enqueue("mail", "email", o -> o.id("b"));
    on.inspector.queue("mail").archive("a");
    Dashboard dashboard = on.start();

    on.api(dashboard, "/queues/mail/tasks/a/payload?run=true")
        .put("{\"payload\":{\"n\":2}}")
        .is(204);
    // What is pending already only gets another payload.
    on.api(dashboard, "/queues/mail/tasks/b/payload?run=true").put("{\"payload\":3}").is(204);

    assertThat(on.inspector.queue("mail").task("a").state()).isEqualTo(TaskState.PENDING);
    assertThat(on.inspector.queue("mail").task("a").payload().utf8()).isEqualTo("{\"n\":2}");
    assertThat(on.inspector.queue("mail").task("b").payload().utf8()).isEqualTo("3");
  }

  @Test
  void returnsAllFieldsOfATaskAndItsActions() {
    on.client
        .enqueue(
            Task.of("t", Payload.ofUtf8("{\n \"a\": 1\n}"), Map.of("h", "v")),
            o -> o.queue("mail").id("a"))
        .orThrow();
    Dashboard dashboard = on.start();

    JsonNode task = on.api(dashboard, "/queues/mail/tasks/a").get().is(200).json();

    assertThat(task.at("/payload/kind").stringValue()).isEqualTo("json");
    assertThat(task.at("/payload/text").stringValue()).isEqualTo("{\n \"a\": 1\n}");
    assertThat(task.at("/headers/h").stringValue()).isEqualTo("v");
    assertThat(task.at("/result/kind").stringValue()).isEqualTo("absent");
    assertThat(Json.text(task.get("actions")))
        .isEqualTo("[\"archive\",\"delete\",\"move\",\"reschedule\",\"copy\",\"edit\"]");
    JsonNode why = on.api(dashboard, "/queues/mail/tasks/a/explanation").get().is(200).json();
    assertThat(why.get("reasons").findValuesAsString("kind")).contains("no-server");
    assertThat(why.get("text").stringValue()).contains("No live server");
    on.api(dashboard, "/queues/mail/tasks/a/result").get().isProblem(404, "not-found");
  }

  @Test
  void theSessionListsTheStatesOfEachAction() {
    JsonNode actions = on.api(on.start(), "/session").get().is(200).json().get("actions");

    assertThat(actions.size()).isEqualTo(TaskAction.values().length);
    for (TaskAction action : TaskAction.values()) {
      assertThat(actions.get(action.word()).valueStream().map(JsonNode::stringValue))
          .containsExactlyElementsOf(action.states().stream().map(TaskState::word).toList());
    }
  }

  @Test
  void tasksOfAGroupAreMovedOneByOneAndByAJob() {
    for (String id : List.of("a", "b", "c")) {
      on.enqueue("mail", "t", o -> o.id(id).group("g"));
    }
    Dashboard dashboard = on.start();
    JsonNode task = on.api(dashboard, "/queues/mail/tasks/a").get().is(200).json();

    assertThat(Json.text(task.get("actions")))
        .isEqualTo("[\"run\",\"archive\",\"delete\",\"move\",\"copy\",\"edit\"]");
    on.api(dashboard, "/queues/mail/tasks/a/move").post("{\"queue\":\"slow\"}").is(204);
    on.api(dashboard, "/jobs")
        .post("{\"action\":\"move\",\"query\":\"state:aggregating\",\"queue\":\"slow\"}")
        .is(202);

    await().until(() -> on.inspector.queue("slow").groups().equals(Map.of("g", 3L)));
    // A task is deleted here after it was inserted there.
    await().until(() -> on.inspector.queue("mail").groups().isEmpty());
  }

  @Test
  void binaryPayloadsAreShownInHexAndDownloadedUnchanged() {
    byte[] bytes = HexFormat.of().parseHex("00ff10ab");
    on.client.enqueue(Task.of("t", Payload.of(bytes)), o -> o.queue("mail").id("a")).orThrow();
    Dashboard dashboard = on.start();

    JsonNode task = on.api(dashboard, "/queues/mail/tasks/a").get().json();
    DashboardFixture.Answer file = on.api(dashboard, "/queues/mail/tasks/a/payload").get().is(200);

    assertThat(task.at("/payload/kind").stringValue()).isEqualTo("binary");
    assertThat(task.at("/payload/text").stringValue()).isEqualTo("00ff10ab");
    assertThat(file.bytes()).isEqualTo(bytes);
    assertThat(file.header("Content-Type")).isEqualTo("application/octet-stream");
    assertThat(file.header("Content-Disposition")).isEqualTo("attachment; filename=\"a.payload\"");
  }

  @Test
  void formattersMakePayloadsReadable() {
    on.enqueue("mail", "secret", o -> o.id("a"));
    on.client
        .enqueue(Task.of("packed", Payload.ofUtf8("abc")), o -> o.queue("mail").id("b"))
        .orThrow();
    Dashboard dashboard =
        on.start(
            builder ->
                builder.contents(
                    contents ->
                        contents
                            .payloadFormatter(
                                (type, bytes) -> {
                                  throw new IllegalStateException("formatters may fail");
                                })
                            .payloadFormatter(
                                (type, bytes) ->
                                    type.equals("packed")
                                        ? Optional.of("unpacked " + bytes.length)
                                        : Optional.empty())));

    JsonNode task = on.api(dashboard, "/queues/mail/tasks/b").get().json();

    assertThat(task.at("/payload/kind").stringValue()).isEqualTo("formatted");
    assertThat(task.at("/payload/text").stringValue()).isEqualTo("unpacked 3");
  }

  @Test
  void aBatchActsOnSelectedTasksAndReportsEachFailure() {
    on.enqueue("mail", "t", o -> o.id("a").processIn(Duration.ofHours(1)));
    on.enqueue("mail", "t", o -> o.id("b"));
    Dashboard dashboard = on.start();

    JsonNode report =
        on.api(dashboard, "/queues/mail/tasks/batch")
            .post("{\"action\":\"run\",\"ids\":[\"a\",\"b\",\"c\"]}")
            .is(200)
            .json();

    assertThat(report.get("done").intValue()).isEqualTo(1);
    assertThat(report.get("failed").intValue()).isEqualTo(2);
    assertThat(report.get("failures").findValuesAsString("id")).containsExactly("b", "c");
    assertThat(on.inspector.queue("mail").task("a").state()).isEqualTo(TaskState.PENDING);
    JsonNode moved =
        on.api(dashboard, "/queues/mail/tasks/batch")
            .post("{\"action\":\"move\",\"ids\":[\"a\",\"c\"],\"queue\":\"other\"}")
            .is(200)
            .json();
    assertThat(moved.get("done").intValue()).isEqualTo(1);
    on.api(dashboard, "/queues/mail/tasks/batch")
        .post("{\"action\":\"run\",\"ids\":[]}")
        .isProblem(422, "unprocessable");
    on.api(dashboard, "/queues/mail/tasks/batch")
        .post("{\"action\":\"shred\",\"ids\":[\"a\"]}")
        .isProblem(422, "unprocessable");
  }

  @Test
  void activeTasksShowTheirWorkerAndCanBeCancelled() throws Exception {
    try (StuckServer server = new StuckServer(on.redis)) {
      on.enqueue("mail", "slow", o -> o.id("a"));
      server.awaitBegun();
      Dashboard dashboard = on.start();
      await()
          .untilAsserted(
              () -> {
                JsonNode servers = on.api(dashboard, "/servers").get().json();
                assertThat(servers.at("/items/0/workers/0/taskId").asString("")).isEqualTo("a");
              });

      JsonNode task = on.api(dashboard, "/queues/mail/tasks/a").get().json();
      assertThat(task.at("/worker/pid").longValue()).isEqualTo(ProcessHandle.current().pid());
      on.api(dashboard, "/queues/mail/tasks/a").delete().isProblem(409, "wrong-state");
      on.api(dashboard, "/queues/mail/tasks/a/cancel")
          .post("{\"after\":\"shred\"}")
          .isProblem(422, "unprocessable");
      on.api(dashboard, "/queues/mail/tasks/a/cancel").post("{\"after\":\"archive\"}").is(204);
      await().until(() -> on.inspector.queue("mail").task("a").state() == TaskState.ARCHIVED);

      JsonNode shown = on.api(dashboard, "/servers").get().json();
      String id = shown.at("/items/0/id").stringValue();
      on.api(dashboard, "/servers/nobody/quiet").post("").isProblem(404, "not-found");
      on.api(dashboard, "/servers/" + PathSegmentCodec.encode(id) + "/quiet").post("").is(204);
      await()
          .untilAsserted(
              () ->
                  assertThat(
                          on.api(dashboard, "/servers")
                              .get()
                              .json()
                              .at("/items/0/status")
                              .asString(""))
                      .isEqualTo("stopped"));
    }
  }

  @Test
  void aPayloadOf50MegabytesIsTruncatedOnThePageAndCompleteInTheDownload() {
    on.expectSlowCommands();
    byte[] bytes = new byte[50 << 20];
    java.util.Arrays.fill(bytes, (byte) 'x');
    bytes[0] = '"';
    bytes[bytes.length - 1] = '"';
    on.client.enqueue(Task.of("large", Payload.of(bytes)), o -> o.queue("mail").id("a")).orThrow();
    on.enqueue("mail", "t", o -> o.id("b"));
    Dashboard dashboard = on.start();

    DashboardFixture.Answer list =
        on.api(dashboard, "/queues/mail/tasks?state=pending").get().is(200);
    DashboardFixture.Answer one = on.api(dashboard, "/queues/mail/tasks/a").get().is(200);
    DashboardFixture.Answer file = on.api(dashboard, "/queues/mail/tasks/a/payload").get().is(200);

    assertThat(list.bytes().length).isLessThan(5_000);
    assertThat(list.json().get("items").findValuesAsString("id")).containsExactly("a", "b");
    assertThat(list.json().at("/items/0/payload/size").intValue()).isEqualTo(bytes.length);
    assertThat(list.json().at("/items/0/payload/truncated").booleanValue()).isTrue();
    assertThat(one.bytes().length).isLessThan(300_000);
    assertThat(one.json().at("/payload/text").stringValue()).hasSize(256 << 10);
    assertThat(file.bytes()).isEqualTo(bytes);
    Dashboard redacting = on.start(builder -> builder.contents(c -> c.redact("$.password")));
    JsonNode hidden = on.api(redacting, "/queues/mail/tasks?state=pending").get().json();
    assertThat(hidden.at("/items/0/payload/kind").stringValue()).isEqualTo("hidden");
    assertThat(on.inspector.queue("mail").tasks(TaskState.PENDING, PageRequest.first(1)).total())
        .isEqualTo(2);
  }

  @Test
  void rejectsInvalidTimes() {
    on.enqueue("mail", "email", o -> o.id("a"));
    Dashboard dashboard = on.start();
    for (String time : List.of("+1000000000-01-01T00:00:00Z", "-999999999-01-01T00:00:00Z")) {
      on.api(dashboard, "/queues/mail/tasks/a/reschedule")
          .post("{\"at\":\"" + time + "\"}")
          .isProblem(422, "unprocessable");
      for (String option : List.of("processAt", "deadline")) {
        on.api(dashboard, "/queues/mail/tasks")
            .post("{\"type\":\"email\",\"" + option + "\":\"" + time + "\"}")
            .isProblem(422, "unprocessable");
      }
    }
    for (String time :
        List.of("PT2562047788015215H", "PT-9223372036854775808S", "999999999999w", "99999999d")) {
      on.api(dashboard, "/queues/mail/tasks/a/reschedule")
          .post("{\"in\":\"" + time + "\"}")
          .isProblem(422, "unprocessable");
    }
    for (String option : List.of("timeout", "retention", "uniqueFor", "processIn")) {
      on.api(dashboard, "/queues/mail/tasks")
          .post("{\"type\":\"email\",\"" + option + "\":\"PT2562047788015215H\"}")
          .isProblem(422, "unprocessable");
    }
  }
}
