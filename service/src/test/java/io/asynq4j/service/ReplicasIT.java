package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Middleware;
import io.asynq4j.service.auth.ApiKey;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several replicas on one Redis, and their configuration. */
class ReplicasIT {

  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void maxRunHoldsOverAllReplicas() {
    String yaml =
        """
        concurrency: 10
        tasks:
          nap: { kind: cmd, retention: 1h, maxRun: 3, cmd: { program: /bin/sleep, args: ["0.05"] } }
        """;
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Middleware counter =
        (task, context, next) -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          try {
            return next.call();
          } finally {
            running.decrementAndGet();
          }
        };
    for (int i = 0; i < 3; i++) {
      fixture.start(TaskService.builder(fixture.config(yaml)).use(counter));
    }
    String lines = "{\"name\":\"nap\"}\n".repeat(60);
    fixture.post("/v1/tasks", lines, "Content-Type", "application/x-ndjson");
    await().until(() -> fixture.inspector.queue("nap").snapshot().size(TaskState.COMPLETED) == 60);
    assertThat(most).hasValue(3);
  }

  @Test
  void anIdIsLookedForUnderAllNamesAtOnce() throws IOException {
    StringBuilder yaml = new StringBuilder("tasks:\n");
    for (int i = 0; i < 200; i++) {
      yaml.append("  many%d: { kind: worker }\n".formatted(i));
    }
    fixture.start(yaml.toString());
    fixture.post("/v1/tasks", "{\"name\":\"many150\",\"id\":\"one\"}");
    long before = fixture.scriptCalls();
    assertThat(fixture.get("/v1/tasks/one").at("/task/name").stringValue()).isEqualTo("many150");
    assertThat(fixture.get("/v1/tasks/none").status()).isEqualTo(404);
    assertThat(fixture.get("/v1/tasks/one?name=many1").status()).isEqualTo(404);
    // Only the existing task was read, apart from calls of the servers themselves.
    assertThat(fixture.scriptCalls() - before).isLessThan(100);
  }

  @Test
  void aReloadChangesTasksAndKeysAndNamesWhatNeedsARestart() {
    TaskService service =
        fixture.start(
            """
            tasks:
              old: { kind: worker }
              same: { kind: worker, maxRun: 1 }
            """);
    fixture.post("/v1/tasks", "{\"name\":\"old\",\"id\":\"1\"}");
    String key = ApiKey.create();
    ServiceConfig changed =
        fixture.config(
            """
            concurrency: 3
            keys: [ { name: k, hash: "%s", scopes: [submit] } ]
            tasks:
              same: { kind: cmd, retention: 1h, cmd: { program: /bin/cat } }
              new: { kind: worker, schedule: { cron: "@every 1s" } }
            """
                .formatted(ApiKey.hashOf(key)));
    assertThat(service.reload(changed)).containsExactly("concurrency");
    assertThat(TaskDefinitions.of(fixture.redis).all()).containsOnlyKeys("same", "new");
    assertThat(fixture.post("/v1/tasks", "{\"name\":\"same\"}").status()).isEqualTo(401);
    String[] asKey = {"Authorization", "Bearer " + key};
    assertThat(fixture.post("/v1/tasks", "{\"name\":\"old\"}", asKey).status()).isEqualTo(422);
    fixture.post("/v1/tasks", "{\"name\":\"same\",\"id\":\"2\"}", asKey);
    await().until(() -> fixture.inspector.queue("same").task("2").state() == TaskState.COMPLETED);
    // Submitted tasks stay, and scheduled ones become pending.
    assertThat(fixture.inspector.queue("old").task("1").state()).isEqualTo(TaskState.PENDING);
    await().until(() -> fixture.inspector.queues().contains("new"));
  }

  @Test
  void aReloadByRequestWithABadFileChangesNothing() {
    fixture.start(
        TaskService.builder(fixture.config("tasks: { a: { kind: worker } }"))
            .reader(() -> ServiceConfig.parse("asynq.yaml", "tasks: { a: 1 }", Map.of())));
    ServiceFixture.Reply reply = fixture.post("/v1/reload", "{}");
    assertThat(reply.status()).isEqualTo(422);
    assertThat(reply.at("/error/message").stringValue()).contains("asynq.yaml:1:13");
    assertThat(TaskDefinitions.of(fixture.redis).all()).containsOnlyKeys("a");
  }

  @Test
  void aQueueThatADefinitionByRequestHasIsNotTakenByAFile() {
    TaskService service = fixture.start("tasks: { a: { kind: worker } }");
    fixture.send("PUT", "/v1/definitions/b", "{\"queue\":\"q\"}");
    ServiceConfig taking = fixture.config("tasks: { c: { kind: worker, queue: q } }");
    assertThatThrownBy(() -> service.reload(taking)).hasMessageContaining("share queue");
    assertThat(TaskDefinitions.of(fixture.redis).all()).containsOnlyKeys("a", "b");
  }
}
