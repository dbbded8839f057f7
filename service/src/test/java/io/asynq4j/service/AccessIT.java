package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.service.ServiceFixture.Reply;
import org.junit.jupiter.api.Test;

/** Keys, scopes and names. */
class AccessIT {

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
}
