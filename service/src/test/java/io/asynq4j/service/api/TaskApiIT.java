package io.asynq4j.service.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinition.TaskKind;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.service.RawHttp;
import io.asynq4j.service.ServiceFixture;
import io.asynq4j.service.SilentShard;
import io.asynq4j.service.TaskService;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.auth.Scope;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.executor.ServerThreadPools;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that wait for the end of a task. */
class TaskApiIT {

  private static final int TIMER_THREADS = 2;

  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(TIMER_THREADS);
  private final ServerThreadPools polls = new ServerThreadPools("poll", 8);
  private final ExecutorService answers = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    timer.shutdownNow();
    polls.shutdown();
    answers.shutdownNow();
  }

  /** A request on a separate thread. */
  private CompletableFuture<ApiResponse> get(TaskApi tasks, String name, String id) {
    HttpServletRequest request =
        (HttpServletRequest)
            Proxy.newProxyInstance(
                TaskApiIT.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getQueryString") ? "wait=60s&name=" + name : null);
    ApiKey anybody =
        new ApiKey(
            "a", "", EnumSet.allOf(Scope.class), List.of(io.asynq4j.internal.text.Glob.of("*")));
    return CompletableFuture.supplyAsync(
            () -> tasks.get(new Exchange(request, anybody, Map.of("id", id))), answers)
        .thenCompose(answer -> answer);
  }

  private TaskApi tasks(RedisConnection redis, List<String> names, BooleanSupplier draining) {
    DefinitionCatalog catalog = new DefinitionCatalog(redis);
    catalog
        .definitions()
        .publish(
            names.stream()
                .map(name -> TaskDefinition.builder(name, TaskKind.WORKER).build())
                .toList());
    catalog.refresh();
    return new TaskApi(catalog, Inspector.create(redis), timer, polls, answers, draining);
  }

  @Test
  void anErrorEndsTheRequest() {
    try (ServiceFixture fixture = new ServiceFixture()) {
      AtomicInteger looks = new AtomicInteger();
      TaskApi tasks =
          tasks(
              fixture.redis,
              List.of("a"),
              () -> {
                if (looks.incrementAndGet() == 2) {
                  throw new OutOfMemoryError("as there may be");
                }
                return false;
              });
      fixture.client.enqueue(Task.of("a"), TaskOptions.of(o -> o.queue("a").id("1"))).orThrow();
      CompletableFuture<ApiResponse> answer = get(tasks, "a", "1");
      await().until(answer::isDone);
      assertThat(answer)
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(OutOfMemoryError.class);
    }
  }

  /** More requests wait for the silent server than it has threads. */
  @Test
  void aSilentServerDelaysNoWorkerThatWaitsForTasksOfOthers() {
    // Not the first one, which has the list of all queues.
    try (SilentShard shard = new SilentShard(1);
        RedisConnection redis = shard.connect(SilentShard.VERY_LONG, SilentShard.VERY_LONG)) {
      String stuck = shard.queues(true, 1).get(0);
      String healthy = shard.queues(false, 1).get(0);
      AtomicInteger looks = new AtomicInteger();
      TaskApi tasks =
          tasks(
              redis,
              List.of(stuck, healthy),
              () -> {
                looks.incrementAndGet();
                return false;
              });
      try (TaskClient client = TaskClient.create(redis)) {
        List<CompletableFuture<ApiResponse>> waiting = new ArrayList<>();
        for (String queue : List.of(stuck, healthy)) {
          client.enqueue(Task.of(queue), TaskOptions.of(o -> o.queue(queue).id("1"))).orThrow();
        }
        for (int i = 0; i < 20; i++) {
          waiting.add(get(tasks, stuck, "1"));
        }
        CompletableFuture<ApiResponse> answer = get(tasks, healthy, "1");
        // Each has polled once.
        await().until(() -> looks.get() > waiting.size());
        shard.pause();
        Inspector inspector = Inspector.create(redis);
        inspector.queue(healthy).archive("1");
        await().until(answer::isDone);
        assertThat(answer.join().status()).isEqualTo(200);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        shard.resume();
        inspector.queue(stuck).archive("1");
        for (CompletableFuture<ApiResponse> each : waiting) {
          await().until(each::isDone);
        }
      }
    }
  }

  @Test
  void clientsThatDoNotReadDelayNoWaitingClient() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (ServiceFixture fixture = new ServiceFixture()) {
      TaskService service = fixture.start("tasks: { a: { kind: worker } }");
      try (TaskClient client = TaskClient.builder(fixture.redis).maxPayload(16 << 20).build()) {
        client
            .enqueue(
                Task.of("a", Payload.ofUtf8("x".repeat(12 << 20))),
                TaskOptions.of(o -> o.queue("a").id("large")))
            .orThrow();
      }
      String small = "{\"name\":\"a\",\"id\":\"small\"}";
      assertThat(fixture.post("/v1/tasks", small).status()).isEqualTo(201);
      for (int i = 0; i < 5; i++) {
        Socket socket = RawHttp.openSlow(service.port());
        silent.add(socket);
        RawHttp.send(socket, "GET /v1/tasks/large?wait=1s HTTP/1.1\r\nHost: localhost\r\n\r\n");
      }
      await()
          .until(
              () ->
                  fixture
                      .get("/metrics")
                      .body()
                      .lines()
                      .anyMatch(line -> line.matches(".*_count.*/v1/tasks/\\*.* 5(\\.0)?")));
      assertThat(fixture.get("/v1/tasks/small?wait=1s").status()).isEqualTo(200);
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }
}
