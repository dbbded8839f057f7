package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.service.ServiceFixture.Reply;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers that ask for tasks of several names, one of which fails. */
class LeaseDeskIT {

  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
    fixture.start("tasks: { good: { kind: worker }, bad: { kind: worker }, z: { kind: worker } }");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void breakQueue(String queue) throws IOException {
    assertThat(fixture.redis("SET asynq:{%s}:pending broken".formatted(queue))).isEqualTo("+OK");
  }

  @Test
  void tasksOfOneQueueReachTheWorkerThoughTheNextQueueFails() throws IOException {
    breakQueue("bad");
    // In a random order each time.
    for (int i = 0; i < 20; i++) {
      fixture.post("/v1/tasks", "{\"name\":\"good\",\"id\":\"%d\"}".formatted(i));
      Reply leased = fixture.post("/v1/lease", "{\"names\":[\"good\",\"bad\"],\"max\":5}");
      assertThat(leased.status()).as(leased.body()).isEqualTo(200);
      assertThat(leased.at("/tasks/0/id").stringValue()).isEqualTo(Integer.toString(i));
    }
    assertThat(fixture.post("/v1/lease", "{\"names\":[\"good\",\"bad\"]}").status()).isEqualTo(503);
  }

  @Test
  void aQueueThatFailsKeepsNobodyWaitingForAnother() throws Exception {
    CompletableFuture<Reply> bad = waiting("bad");
    CompletableFuture<Reply> good = waiting("good");
    CompletableFuture<Reply> last = waiting("z");
    await().until(() -> waitingWorkers() == 3);
    breakQueue("bad");
    fixture.post("/v1/tasks", "{\"name\":\"good\"}");
    fixture.post("/v1/tasks", "{\"name\":\"z\"}");
    assertThat(good.get(30, TimeUnit.SECONDS).at("/tasks")).hasSize(1);
    assertThat(last.get(30, TimeUnit.SECONDS).at("/tasks")).hasSize(1);
    assertThat(bad).isNotDone();

    fixture.redis("DEL asynq:{bad}:pending");
    fixture.post("/v1/tasks", "{\"name\":\"bad\"}");
    assertThat(bad.get(30, TimeUnit.SECONDS).at("/tasks")).hasSize(1);
  }

  private CompletableFuture<Reply> waiting(String name) {
    return fixture.sendAsync(
        "POST", "/v1/lease", "{\"names\":[\"%s\"],\"wait\":\"60s\"}".formatted(name));
  }

  private int waitingWorkers() {
    return fixture
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("asynq_service_waiting "))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElse(0);
  }
}
