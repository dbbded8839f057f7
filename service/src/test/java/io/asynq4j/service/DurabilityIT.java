package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.TaskState;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedSentinel;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks confirmed with 201 are executed, even if Redis restarts or fails over. */
class DurabilityIT {

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  private static ServiceConfig config(String uri, String more) {
    return ServiceConfig.parse(
        "test.yaml",
        """
        redis: { url: "%s" }
        listen: { port: 0 }
        %s
        tasks: { echo: { kind: cmd, retention: 1h, cmd: { program: /bin/true } } }
        """
            .formatted(uri, more),
        Map.of());
  }

  private HttpResponse<String> submit(TaskService service, String id) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(service.uri() + "v1/tasks"))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"name\":\"echo\",\"id\":\"" + id + "\"}"))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  /** Submits tasks until stopped; returns the IDs of those that were confirmed. */
  private Thread submitter(TaskService service, Set<String> promised, AtomicBoolean stop) {
    Thread thread =
        new Thread(
            () -> {
              for (int i = 0; !stop.get(); i++) {
                try {
                  if (submit(service, "t" + i).statusCode() == 201) {
                    promised.add("t" + i);
                  }
                } catch (Exception e) {
                  // Not promised.
                }
              }
            });
    thread.start();
    return thread;
  }

  private static void awaitAll(RedisConnection redis, Set<String> promised) {
    Inspector inspector = Inspector.create(redis);
    await()
        .atMost(Duration.ofSeconds(40))
        .ignoreException(BrokerException.class)
        .until(
            () ->
                promised.stream()
                    .allMatch(
                        id -> inspector.queue("echo").task(id).state() == TaskState.COMPLETED));
  }

  @Test
  void nothingThatWasPromisedIsLostWhenRedisIsKilledAndStartsAgain(@TempDir Path directory)
      throws Exception {
    try (EmbeddedRedis server =
            EmbeddedRedis.builder().dataDirectory(directory).appendFsync("always").start();
        RedisConnection redis = RedisConnection.open(server.uri());
        TaskService service = TaskService.start(config(server.uri(), ""))) {
      Set<String> promised = ConcurrentHashMap.newKeySet();
      AtomicBoolean stop = new AtomicBoolean();
      Thread submitter = submitter(service, promised, stop);
      await().until(() -> promised.size() > 20);
      server.kill();
      server.restart();
      int before = promised.size();
      await().until(() -> promised.size() > before + 20);
      stop.set(true);
      submitter.join();
      awaitAll(redis, promised);
    }
  }

  @Test
  void nothingThatWasPromisedAsReplicatedIsLostInAFailover() throws Exception {
    try (EmbeddedSentinel group = EmbeddedSentinel.start();
        RedisConnection redis = RedisConnection.open(group.uri());
        TaskService service = TaskService.start(config(group.uri(), "durability: replicated"))) {
      Set<String> promised = ConcurrentHashMap.newKeySet();
      AtomicBoolean stop = new AtomicBoolean();
      Thread submitter = submitter(service, promised, stop);
      await().until(() -> promised.size() > 20);
      group.killPrimary();
      int before = promised.size();
      await().atMost(Duration.ofSeconds(40)).until(() -> promised.size() > before);
      stop.set(true);
      submitter.join();
      awaitAll(redis, promised);
    }
  }

  @Test
  void withoutAReplicaNothingIsPromisedAsReplicated() throws Exception {
    try (EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
        TaskService service = TaskService.start(config(server.uri(), "durability: replicated"))) {
      HttpResponse<String> answer = submit(service, "1");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("unconfirmed");
    }
  }
}
