package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.service.ServiceFixture.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * No task waits while a worker waits for its name. Only notifications achieve that: the replicas
 * check the queues once an hour, and each request of a worker waits as long as possible. So a task
 * whose notification is lost waits for most of a minute.
 */
class LeaseNotificationIT {

  private static final boolean FULL = Boolean.getBoolean("asynq4j.full");
  private static final int ROUNDS = FULL ? 600 : 48;
  private static final int NAMES = 24;
  private static final int WORKERS = 36;

  /** Well below the 60 seconds of a poll, after which a task would be found in any case. */
  private static final Duration PROMPTLY = Duration.ofSeconds(20);

  private final Map<String, Long> handedIn = new ConcurrentHashMap<>();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicLong slowest = new AtomicLong();
  private final List<TaskService> replicas = new ArrayList<>();
  private final List<Thread> workers = new ArrayList<>();
  private ServiceFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServiceFixture();
    StringBuilder yaml = new StringBuilder("tasks:\n");
    for (int i = 0; i < NAMES; i++) {
      // A free place and the next task of an ordered queue must be reported too.
      String more = i % 6 == 4 ? ", maxRun: 1" : i % 6 == 5 ? ", ordered: true" : "";
      yaml.append("  race%d: { kind: worker%s }\n".formatted(i, more));
    }
    for (int i = 0; i < 3; i++) {
      TaskService.Builder replica = TaskService.builder(fixture.config(yaml.toString()));
      replicas.add(fixture.start(replica.recheckInterval(Duration.ofHours(1))));
    }
  }

  @AfterEach
  void stop() {
    // Waiting workers get an empty response.
    fixture.close();
    workers.forEach(
        worker -> {
          try {
            worker.join();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void hire(Random random) {
    for (int i = 0; i < WORKERS; i++) {
      TaskService replica = replicas.get(i % replicas.size());
      List<String> names = new ArrayList<>();
      // Few and many names are checked in different ways.
      int count = i % 2 == 0 ? 2 : 7;
      for (int j = 0; j < count; j++) {
        names.add("\"race%d\"".formatted(j == 0 ? i % NAMES : random.nextInt(NAMES)));
      }
      String body =
          "{\"names\":[%s],\"max\":2,\"wait\":\"60s\"}".formatted(String.join(",", names));
      Thread worker = new Thread(() -> work(replica, body));
      worker.start();
      workers.add(worker);
    }
  }

  private void work(TaskService replica, String body) {
    while (true) {
      try {
        Reply reply = fixture.postTo(replica, "/v1/lease", body);
        if (reply.status() != 200 || reply.at("/tasks").isEmpty()) {
          return;
        }
        for (JsonNode task : reply.at("/tasks")) {
          Long began = handedIn.get(task.get("id").stringValue());
          if (began != null) {
            slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
          }
          String token = task.get("token").stringValue();
          fixture.postTo(replica, "/v1/complete", "{\"token\":\"%s\"}".formatted(token));
          done.incrementAndGet();
        }
      } catch (CompletionException e) {
        return;
      }
    }
  }

  private int submit(Random random, int round) {
    int count = 1 + random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String id = "t%d-%d".formatted(round, i);
      handedIn.put(id, System.nanoTime());
      Reply reply =
          fixture.postTo(
              replicas.get(random.nextInt(replicas.size())),
              "/v1/tasks",
              "{\"name\":\"race%d\",\"id\":\"%s\"}".formatted(random.nextInt(NAMES), id));
      assertThat(reply.status()).isEqualTo(201);
    }
    return count;
  }

  /** Pauses, so that all workers wait for the next task, or are just about to. */
  private void awaitAll(int submitted) {
    await().pollInterval(Duration.ofMillis(1)).until(() -> done.get() == submitted);
  }

  @Test
  void noTaskWaitsWhileAWorkerWaitsForItsName() {
    Random random = new Random(11);
    hire(random);
    int submitted = 0;
    for (int round = 0; round < ROUNDS; round++) {
      submitted += submit(random, round);
      awaitAll(submitted);
    }
    assertThat(Duration.ofNanos(slowest.get())).isLessThan(PROMPTLY);
  }

  @Test
  void waitingCallersAreNotifiedAlsoAfterTheNotifyingConnectionWasLost() throws IOException {
    Random random = new Random(12);
    hire(random);
    int submitted = 0;
    for (int round = 0; round < ROUNDS / 8; round++) {
      submitted += submit(random, round);
      awaitAll(submitted);
      assertThat(fixture.redis("CLIENT KILL TYPE pubsub")).startsWith(":");
      // A notification without a task: empty queues must be armed again for the next round.
      await().until(() -> fixture.redis("CLIENT LIST TYPE pubsub").lines().count() >= 3);
    }
    assertThat(Duration.ofNanos(slowest.get())).isLessThan(PROMPTLY);
  }
}
