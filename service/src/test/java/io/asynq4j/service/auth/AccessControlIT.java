package io.asynq4j.service.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.TaskLeases;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.ServiceFixture.Reply;
import io.asynq4j.service.TaskService;
import io.asynq4j.service.lease.LeaseToken;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys, scopes and names. */
class AccessControlIT {

  @Test
  void withoutKeysAWebPageIsRefused() {
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start("tasks: { a: { kind: worker } }");
      String task = "{\"name\":\"a\"}";
      assertThat(fixture.post("/v1/tasks", task, "Origin", "https://example.com").status())
          .isEqualTo(403);
      assertThat(fixture.post("/v1/tasks", task).status()).isEqualTo(201);
    }
  }

  @Test
  void eachKeyMayDoWhatItsScopesAndNamesSay() {
    String submit = ApiKey.create();
    String work = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(
          """
          keys:
            - { name: shop, hash: "%s", scopes: [submit], names: ["shop-*"] }
            - { name: php, hash: "%s", scopes: [work] }
          tasks:
            shop-mail: { kind: worker }
            other: { kind: worker }
          """
              .formatted(ApiKey.hashOf(submit), ApiKey.hashOf(work)));
      String task = "{\"name\":\"shop-mail\",\"id\":\"1\"}";
      String lease = "{\"names\":[\"shop-mail\"]}";
      assertThat(fixture.post("/v1/tasks", task).status()).isEqualTo(401);
      assertThat(fixture.post("/v1/tasks", task, "Authorization", "Bearer wrong").status())
          .isEqualTo(401);
      assertThat(fixture.post("/v1/tasks", task, "Authorization", "Bearer " + work).status())
          .isEqualTo(403);
      String[] asShop = {"Authorization", "Bearer " + submit};
      assertThat(fixture.post("/v1/tasks", "{\"name\":\"other\"}", asShop).status()).isEqualTo(403);
      Reply refused = fixture.post("/v1/reload", "{}", asShop);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body()).doesNotContain(submit);
      assertThat(fixture.post("/v1/tasks", task, asShop).status()).isEqualTo(201);
      assertThat(fixture.get("/v1/tasks/1", asShop).status()).isEqualTo(200);
      assertThat(fixture.post("/v1/lease", lease, asShop).status()).isEqualTo(403);
      assertThat(
              fixture
                  .post("/v1/lease", lease, "Authorization", "Bearer " + work)
                  .at("/tasks")
                  .size())
          .isEqualTo(1);
      assertThat(fixture.get("/livez").status()).isEqualTo(200);
    }
  }

  private static String[] as(String key) {
    return new String[] {"Authorization", "Bearer " + key};
  }

  private static String restricted(String key, String rest) {
    return """
    dashboard: { enabled: true }
    keys:
      - { name: shop, hash: "%s", scopes: [submit, work, operate], names: ["shop-*"] }
    """
            .formatted(ApiKey.hashOf(key))
        + rest;
  }

  @Test
  void aRestrictedKeyDefinesNoQueueThatIsNotNamedLikeItsTasks() {
    String key = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(restricted(key, "tasks: { shop-mail: { kind: worker } }"));
      fixture.client.enqueue(
          Task.of("charge", Payload.ofUtf8("{}")), TaskOptions.of(o -> o.queue("billing").id("1")));
      Reply refused =
          fixture.send("PUT", "/v1/definitions/shop-x", "{\"queue\":\"billing\"}", as(key));
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.at("/error/message").stringValue()).contains("billing");
      assertThat(fixture.post("/v1/lease", "{\"names\":[\"shop-x\"]}", as(key)).status())
          .isEqualTo(422);
      assertThat(fixture.get("/v1/tasks/1", as(key)).status()).isEqualTo(404);
      assertThat(fixture.get("/dashboard/api/v1/queues/billing", as(key)).status()).isEqualTo(404);
      assertThat(fixture.inspector.queue("billing").task("1").state()).isEqualTo(TaskState.PENDING);
      for (String own : List.of("{}", "{\"queue\":\"shop-other\"}")) {
        assertThat(fixture.send("PUT", "/v1/definitions/shop-x", own, as(key)).status())
            .isEqualTo(200);
      }
    }
  }

  @Test
  void aRestrictedKeyDoesNotReachQueuesOfOthersByAPattern() {
    String key = ApiKey.create();
    String name = "shop-" + "x".repeat(600);
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(
          restricted(key, "tasks: { shop-mail: { kind: worker }, \"shop-b*\": { kind: worker } }"));
      for (String queue : List.of("shop-mail", "shop-billing")) {
        fixture.client.enqueue(
            Task.of("charge", Payload.ofUtf8("{}")), TaskOptions.of(o -> o.queue(queue)));
      }
      for (String path : List.of("shop-*", "shop-**mail", name)) {
        Reply refused = fixture.send("PUT", "/v1/definitions/" + path, "{}", as(key));
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.at("/error/field").stringValue()).isEqualTo("name");
      }
      for (String queue : List.of("shop-*", name)) {
        Reply refused =
            fixture.send(
                "PUT", "/v1/definitions/shop-x", "{\"queue\":\"%s\"}".formatted(queue), as(key));
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.at("/error/field").stringValue()).isEqualTo("queue");
      }
      // Defined by another program, or by an earlier version.
      TaskDefinitions.of(fixture.redis).put(TaskDefinition.builder(name, TaskKind.WORKER).build());
      assertThat(fixture.get("/dashboard/api/v1/queues/shop-billing", as(key)).status())
          .isEqualTo(404);
      assertThat(fixture.get("/dashboard/api/v1/queues/shop-mail", as(key)).status())
          .isEqualTo(200);
    }
  }

  @Test
  void aRestrictedKeySettlesNothingInAQueueThatNoDefinitionGivesIt() {
    String key = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(restricted(key, ""));
      fixture.client.enqueue(
          Task.of("charge", Payload.ofUtf8("{}")), TaskOptions.of(o -> o.queue("billing").id("1")));
      LeasedTask leased =
          TaskLeases.create(fixture.redis).claim("billing", 1, Duration.ofMinutes(1)).get(0);
      String body = "{\"token\":\"%s\"}".formatted(LeaseToken.of(leased));
      for (String verb : List.of("complete", "fail", "release", "extend", "progress")) {
        assertThat(fixture.post("/v1/" + verb, body, as(key)).status()).as(verb).isEqualTo(403);
      }
      assertThat(fixture.inspector.queue("billing").task("1").state()).isEqualTo(TaskState.ACTIVE);
    }
  }

  @Test
  void whatIsDefinedAtAnotherReplicaCanBeSettledAtOnce() {
    String all = ApiKey.create();
    String key = ApiKey.create();
    String yaml =
        restricted(key, "  - { name: chief, hash: \"%s\", scopes: [operate, submit] }\n")
            .formatted(ApiKey.hashOf(all));
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(yaml);
      TaskService other = fixture.start(yaml);
      TaskService first = fixture.start(yaml);
      fixture.send("PUT", "/v1/definitions/shop-x", "{\"queue\":\"mails\"}", as(all));
      fixture.post("/v1/tasks", "{\"name\":\"shop-x\"}", as(all));
      Reply leased = fixture.postTo(first, "/v1/lease", "{\"names\":[\"shop-x\"]}", as(key));
      String token = leased.at("/tasks/0/token").stringValue();
      Reply done =
          fixture.postTo(other, "/v1/complete", "{\"token\":\"%s\"}".formatted(token), as(key));
      assertThat(done.status()).as(done.body()).isEqualTo(200);
    }
  }

  @Test
  void aRestrictedKeyNeitherReadsAllMetricsNorReloads() {
    String key = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(restricted(key, ""));
      assertThat(fixture.get("/metrics", as(key)).status()).isEqualTo(403);
      assertThat(fixture.post("/v1/reload", "{}", as(key)).status()).isEqualTo(403);
    }
  }

  @Test
  void aTaskOfAnotherNameInAQueueIsNeitherExecutedNorFollowedUp() {
    String key = ApiKey.create();
    try (ServiceFixture fixture = new ServiceFixture()) {
      fixture.start(
          restricted(
              key,
              """
              tasks:
                shop-cat: { kind: cmd, retention: 1h, cmd: { program: /bin/cat } }
                shop-work: { kind: worker }
                follow: { kind: worker }
                charge: { kind: cmd, retention: 1h, cmd: { program: /bin/cat }, callbacks: {
                  before: { task: follow }, success: { task: follow } } }
              """));
      // An operator of one queue may put tasks of any type into it, by the dashboard.
      for (String queue : List.of("shop-cat", "shop-work")) {
        Reply put =
            fixture.post(
                "/dashboard/api/v1/queues/" + queue + "/tasks",
                "{\"type\":\"charge\",\"id\":\"1\"}",
                "Authorization",
                "Bearer " + key,
                "X-Asynq-Request",
                "1");
        assertThat(put.status()).as(put.body()).isEqualTo(201);
      }
      await()
          .until(() -> fixture.inspector.queue("shop-cat").task("1").state() == TaskState.ARCHIVED);
      assertThat(fixture.inspector.queue("shop-cat").task("1").lastError()).contains("charge");
      Reply leased = fixture.post("/v1/lease", "{\"names\":[\"shop-work\"]}", as(key));
      String token = leased.at("/tasks/0/token").stringValue();
      fixture.post("/v1/complete", "{\"token\":\"%s\"}".formatted(token), as(key));
      assertThat(fixture.inspector.queues()).doesNotContain("follow");
    }
  }
}
