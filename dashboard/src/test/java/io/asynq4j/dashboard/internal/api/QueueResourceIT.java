package io.asynq4j.dashboard.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.RateLimit;
import io.asynq4j.dashboard.Dashboard;
import io.asynq4j.dashboard.DashboardFixture;
import io.asynq4j.handler.Outcome;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** Queues, Redis and schedules over HTTP. */
class QueueResourceIT {

  @RegisterExtension static final DashboardFixture on = new DashboardFixture();

  @Test
  void listsQueuesInPagesWithATotal() {
    for (int i = 0; i < 5; i++) {
      on.enqueue("q" + i);
    }
    on.enqueue("q3");
    Dashboard dashboard = on.start();

    JsonNode first = on.api(dashboard, "/queues?sort=size&order=desc&limit=2").get().is(200).json();

    assertThat(first.get("total").intValue()).isEqualTo(5);
    assertThat(first.at("/items/0/queue").stringValue()).isEqualTo("q3");
    assertThat(first.at("/items/0/sizes/pending").intValue()).isEqualTo(2);
    assertThat(first.get("items")).hasSize(2);
    String cursor = first.get("cursor").stringValue();
    JsonNode rest =
        on.api(dashboard, "/queues?sort=size&order=desc&limit=9&cursor=" + cursor).get().json();
    assertThat(rest.get("items")).hasSize(3);
    assertThat(rest.get("cursor").isNull()).isTrue();
    JsonNode matching = on.api(dashboard, "/queues?match=Q4").get().json();
    assertThat(matching.get("total").intValue()).isEqualTo(1);
  }

  @Test
  void oneQueueThatCannotBeReadIsOneBrokenRow() {
    on.enqueue("good");
    try (Jedis jedis = on.jedis()) {
      jedis.sadd("asynq:queues", "bad");
      jedis.set("asynq:{bad}:pending", "no list");
    }
    Dashboard dashboard = on.start();

    JsonNode queues = on.api(dashboard, "/queues").get().is(200).json();

    assertThat(queues.at("/items/0/problem").stringValue()).isNotBlank();
    assertThat(queues.at("/items/1/queue").stringValue()).isEqualTo("good");
    assertThat(queues.at("/items/1/problem").isNull()).isTrue();
    on.api(dashboard, "/queues/bad").get().isProblem(503, "redis-refused");
    JsonNode attention = on.api(dashboard, "/overview").get().json().get("attention");
    assertThat(attention.findValuesAsString("kind")).containsExactly("queue-unreadable");
  }

  @Test
  void groupsWithoutAnAggregatorNeedAttention() {
    on.enqueue("mail", "t", o -> o.id("a").group("g"));
    try (Jedis jedis = on.jedis()) {
      double before = Instant.now().minus(Duration.ofHours(2)).getEpochSecond();
      jedis.zadd("asynq:{mail}:g:g", before, "a");
    }
    try (TaskServer server =
        TaskServer.builder(on.redis)
            .queue("mail")
            .handlers((task, context) -> Outcome.done())
            .build()) {
      server.start();
      await().until(() -> !on.inspector.servers().isEmpty());
      Dashboard dashboard = on.start();

      JsonNode attention = on.api(dashboard, "/overview").get().json().get("attention");

      assertThat(attention.findValuesAsString("kind")).containsExactly("no-aggregator");
    }
  }

  @Test
  void pausesResumesAndRemovesAndRejectsInvalidTransitions() {
    on.enqueue("mail");
    Dashboard dashboard = on.start();

    on.api(dashboard, "/queues/mail/pause").post("").is(204);
    on.api(dashboard, "/queues/mail/pause").post("").isProblem(409, "wrong-state");
    assertThat(on.inspector.queue("mail").snapshot().paused()).isTrue();
    assertThat(on.api(dashboard, "/queues/mail").get().json().get("pausedSince").isNull())
        .isFalse();
    on.api(dashboard, "/queues/mail/resume").post("").is(204);
    on.api(dashboard, "/queues/mail/resume").post("").isProblem(409, "wrong-state");
    on.api(dashboard, "/queues/nobody/pause").post("").isProblem(404, "queue-not-found");
    on.api(dashboard, "/queues/nobody/resume").post("").isProblem(404, "queue-not-found");
    on.api(dashboard, "/queues/nobody").get().isProblem(404, "queue-not-found");
    on.api(dashboard, "/queues/mail").delete().isProblem(409, "queue-not-empty");
    on.api(dashboard, "/queues/mail?force=maybe").delete().isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail?force=true").delete().is(204);
    assertThat(on.inspector.queues()).isEmpty();
  }

  @Test
  void setsLimits() {
    on.enqueue("mail");
    Dashboard dashboard = on.start();

    on.api(dashboard, "/queues/mail/limits").put("{\"maxActive\":3,\"ordered\":true}").is(200);

    JsonNode limits = on.api(dashboard, "/queues/mail/limits").get().is(200).json();
    assertThat(limits.get("maxActive").intValue()).isEqualTo(3);
    assertThat(limits.get("ordered").booleanValue()).isTrue();
    on.api(dashboard, "/queues/mail/limits")
        .put("{\"maxActive\":-1}")
        .isProblem(422, "unprocessable");
    JsonNode rated =
        on.api(dashboard, "/queues/mail/limits").put("{\"rate\":\"100/s\"}").is(200).json();
    assertThat(rated.get("rate").stringValue()).isEqualTo("100/s");
    assertThat(rated.get("burst").intValue()).isEqualTo(10);
    assertThat(rated.get("maxActive").isNull()).isTrue();
    assertThat(on.inspector.queue("mail").limits().rate()).contains(RateLimit.parse("100/s"));
    on.api(dashboard, "/queues/mail/limits")
        .put("{\"rate\":\"fast\"}")
        .isProblem(422, "unprocessable");
    on.api(dashboard, "/queues/mail/limits").put("{\"burst\":3}").isProblem(422, "unprocessable");
    on.api(dashboard, "/queues/mail/limits").put("{\"maxactive\":1}").isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail/limits").put("[]").isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail/limits").put("{").isProblem(400, "bad-request");
    on.api(dashboard, "/queues/mail/limits").put("").isProblem(400, "bad-request");
    assertThat(on.inspector.queue("mail").limits().rate()).contains(RateLimit.parse("100/s"));
  }

  @Test
  void returnsDaysGroupsAndTheSlotOfAQueue() {
    on.enqueue("mail", "t", o -> o.group("g/1"));
    on.enqueue("mail", "t", o -> o.group("g/1"));
    Dashboard dashboard = on.start();

    JsonNode days = on.api(dashboard, "/queues/mail/days?days=3&zone=Asia/Tokyo").get().json();
    assertThat(days.get("items")).hasSize(3);
    assertThat(days.at("/items/0/from").stringValue()).contains("+09:00");
    JsonNode groups = on.api(dashboard, "/queues/mail/groups").get().json();
    assertThat(groups.at("/items/0/group").stringValue()).isEqualTo("g/1");
    assertThat(groups.at("/items/0/size").intValue()).isEqualTo(2);
    JsonNode slots = on.api(dashboard, "/redis/slots").get().json();
    assertThat(slots.at("/items/0/slot").intValue()).isEqualTo(on.inspector.queue("mail").slot());
    JsonNode info = on.api(dashboard, "/redis/info").get().json();
    assertThat(info.at("/info/redis_version").stringValue()).isNotBlank();
    assertThat(info.get("cluster").booleanValue()).isFalse();
    on.api(dashboard, "/queues/mail/days?zone=Nowhere").get().isProblem(422, "unprocessable");
    on.api(dashboard, "/queues/mail/days?days=0").get().isProblem(400, "bad-request");
  }

  @Test
  void unknownPathsReturnAProblem() {
    Dashboard dashboard = on.start();

    on.api(dashboard, "/nothing").get().isProblem(404, "not-found");
    on.call(dashboard, "/api").get().isProblem(404, "not-found");
    on.api(dashboard, "/queues").post("{}").isProblem(405, "method-not-allowed");
    on.api(dashboard, "/queues?redis=other").get().isProblem(404, "not-found");
    on.api(dashboard, "/queues?limit=0").get().isProblem(400, "bad-request");
    on.api(dashboard, "/queues?cursor=x").get().isProblem(400, "bad-request");
    on.api(dashboard, "/queues?sort=colour").get().isProblem(422, "unprocessable");
  }

  @Test
  void severalRedisAreSelectedByName() {
    on.enqueue("mail");
    try (var other = io.asynq4j.embedded.EmbeddedRedis.builder().ephemeral().start();
        var connection = io.asynq4j.redis.RedisConnection.open(other.uri())) {
      Dashboard dashboard = on.start(builder -> builder.redis("second", connection));

      JsonNode all = on.api(dashboard, "/redis").get().json();

      assertThat(all.get("items").findValuesAsString("name")).containsExactly("default", "second");
      assertThat(on.api(dashboard, "/queues").get().json().get("total").intValue()).isEqualTo(1);
      assertThat(on.api(dashboard, "/queues?redis=second").get().json().get("total").intValue())
          .isZero();
      dashboard.close();
    }
  }

  @Test
  void anUnreachableRedisIsReportedAndPollingContinuesWhenItReturns() {
    on.enqueue("mail");
    var config = io.asynq4j.redis.RedisConfig.parse(on.server.uri() + "?retryFor=0s");
    try (var connection = io.asynq4j.redis.RedisConnection.open(config)) {
      Dashboard dashboard =
          Dashboard.builder(connection).port(0).refresh(Duration.ofMillis(100)).start();
      try (dashboard) {
        on.api(dashboard, "/queues").get().is(200);
        on.server.stop();

        await()
            .untilAsserted(
                () -> {
                  JsonNode overview = on.api(dashboard, "/overview").get().is(200).json();
                  assertThat(overview.get("problem").isNull()).isFalse();
                  assertThat(overview.get("queues").intValue()).isEqualTo(1);
                });
        on.api(dashboard, "/queues/mail").get().isProblem(503, "redis-unavailable");

        on.server.restart();
        await()
            .untilAsserted(
                () ->
                    assertThat(on.api(dashboard, "/overview").get().json().get("problem").isNull())
                        .isTrue());
      }
    }
  }

  @Test
  void namesWithSpecialCharactersAreReachable() {
    String queue = "a/b %2F\\..;é?#";
    String id = on.enqueue(queue, "t", o -> o.id("../x y"));
    Dashboard dashboard = on.start();
    String path = "/queues/" + PathSegmentCodec.encode(queue);

    assertThat(on.api(dashboard, path).get().is(200).json().get("queue").stringValue())
        .isEqualTo(queue);
    JsonNode task =
        on.api(dashboard, path + "/tasks/" + PathSegmentCodec.encode(id)).get().is(200).json();
    assertThat(task.get("id").stringValue()).isEqualTo(id);
    on.api(dashboard, path + "/tasks/" + PathSegmentCodec.encode(id)).delete().is(204);
    assertThat(on.inspector.queue(queue).snapshot().size()).isZero();
  }

  @Test
  void servesMetricsForPrometheus() {
    on.enqueue("mail");
    Dashboard dashboard = on.start();

    DashboardFixture.Answer metrics = on.call(dashboard, "/metrics").get().is(200);

    assertThat(metrics.header("Content-Type")).startsWith("text/plain; version=0.0.4");
    assertThat(metrics.text())
        .contains("asynq_up 1.0")
        .contains("asynq_tasks{queue=\"mail\",state=\"pending\"} 1.0");
    Dashboard without = on.start(builder -> builder.metrics(false));
    assertThat(on.call(without, "/metrics").get().text()).doesNotContain("asynq_up");
    assertThat(on.call(without, "/health").get().is(200).text()).isEqualTo("{\"status\":\"up\"}");
  }
}
