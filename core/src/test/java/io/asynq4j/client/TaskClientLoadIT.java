package io.asynq4j.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.client.EnqueueResult.Failed;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import redis.clients.jedis.Jedis;

/** Many callers at once, and a Redis that does not respond. */
@TestInstance(Lifecycle.PER_CLASS)
class TaskClientLoadIT {

  private static final Task TASK = Task.of("t", Payload.ofUtf8("p"));
  private static final String PENDING = "asynq:{default}:pending";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private EmbeddedRedis server;
  private Jedis admin;
  private RedisConnection redis;
  private TaskClient client;

  @BeforeAll
  void startRedis() {
    server = EmbeddedRedis.builder().ephemeral().start();
    admin = new Jedis(server.host(), server.port(), 30_000);
  }

  @AfterAll
  void stopRedis() {
    threads.shutdown();
    admin.close();
    server.close();
  }

  @BeforeEach
  void connect() {
    admin.flushAll();
    redis =
        RedisConnection.open(
            RedisConfig.parse(server.uri()).toBuilder()
                .maxConnections(8)
                .commandTimeout(ofSeconds(10))
                .retryFor(ofMillis(500))
                .build());
    client = TaskClient.create(redis);
    // So that a Redis that is paused later finds connections open.
    client.enqueue(TASK, o -> o.queue("warm"));
    client.enqueueAsync(TASK, o -> o.queue("warm")).toCompletableFuture().join();
  }

  @AfterEach
  void disconnect() {
    server.resume();
    client.close();
    redis.close();
  }

  private static String id(int caller, int number) {
    return "c" + caller + "-" + number;
  }

  @Test
  void fixesW41_twoHundredCallersOnEightConnectionsEnqueueEveryTaskOnce() throws Exception {
    int callers = 200;
    int each = 50;
    List<Future<List<String>>> results = new ArrayList<>();
    for (int caller = 0; caller < callers; caller++) {
      int me = caller;
      results.add(
          threads.submit(
              () ->
                  IntStream.range(0, each)
                      // The same object for all: no call may change it.
                      .mapToObj(i -> client.enqueue(TASK, o -> o.id(id(me, i))).orThrow().id())
                      .toList()));
    }
    List<String> expected = new ArrayList<>();
    for (int caller = 0; caller < callers; caller++) {
      int me = caller;
      List<String> ids = IntStream.range(0, each).mapToObj(i -> id(me, i)).toList();
      assertThat(results.get(caller).get(60, TimeUnit.SECONDS)).isEqualTo(ids);
      expected.addAll(ids);
    }

    // Sorted first: AssertJ compares each with each otherwise.
    assertThat(admin.lrange(PENDING, 0, -1).stream().sorted())
        .containsExactlyElementsOf(expected.stream().sorted().toList());
  }

  @Test
  void callersThatShareACallGetTheirOwnAnswers() throws Exception {
    try (TaskClient narrow = TaskClient.builder(redis).maxCalls(1).build()) {
      List<Future<Integer>> enqueued = new ArrayList<>();
      for (int caller = 0; caller < 40; caller++) {
        enqueued.add(
            threads.submit(
                () -> {
                  int mine = 0;
                  for (int i = 0; i < 25; i++) {
                    String shared = "s" + i;
                    mine += narrow.enqueue(TASK, o -> o.id(shared)).isEnqueued() ? 1 : 0;
                  }
                  return mine;
                }));
      }
      int total = 0;
      for (Future<Integer> mine : enqueued) {
        total += mine.get(60, TimeUnit.SECONDS);
      }
      assertThat(total).isEqualTo(25);
      assertThat(new HashSet<>(admin.lrange(PENDING, 0, -1))).hasSize(25);
    }
  }

  @Test
  void twentyThousandAsyncTasksArriveOnceEachAndInOrder() {
    List<String> ids = IntStream.range(0, 20_000).mapToObj(i -> "a" + i).toList();
    List<CompletableFuture<EnqueueResult>> stages = new ArrayList<>();
    for (String id : ids) {
      stages.add(client.enqueueAsync(TASK, o -> o.id(id)).toCompletableFuture());
    }

    assertThat(stages).extracting(stage -> stage.join().orThrow().id()).isEqualTo(ids);
    List<String> pending = admin.lrange(PENDING, 0, -1);
    Collections.reverse(pending);
    assertThat(pending).isEqualTo(ids);
  }

  @Test
  void closingFinishesWhatWasHandedOver() {
    List<CompletableFuture<EnqueueResult>> stages = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      stages.add(client.enqueueAsync(TASK).toCompletableFuture());
    }
    client.close();

    assertThat(admin.llen(PENDING)).isEqualTo(5_000);
    assertThat(stages).allSatisfy(stage -> assertThat(stage.join().isEnqueued()).isTrue());
    assertThatThrownBy(() -> client.enqueueAsync(TASK).toCompletableFuture().join())
        .hasRootCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void aCallbackThatBlocksHoldsUpNoTask() {
    CountDownLatch hold = new CountDownLatch(1);
    // A callback that is added to a stage that has completed runs on this thread.
    server.pause();
    try {
      for (int i = 0; i < 10; i++) {
        var unused =
            client
                .enqueueAsync(TASK)
                .thenAccept(
                    result -> {
                      try {
                        hold.await();
                      } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                      }
                    });
      }
      for (int i = 0; i < 500; i++) {
        var unused = client.enqueueAsync(TASK);
      }
      server.resume();
      assertThat(client.enqueue(TASK).isEnqueued()).isTrue();
      await().until(() -> admin.llen(PENDING) == 511);
    } finally {
      hold.countDown();
    }
  }

  @Test
  void aCallWithALimitEndsInTimeWhenRedisIsSilent() {
    Enqueuer hasty = client.within(ofMillis(200));
    server.pause();

    BrokerException sent = timed(ofMillis(200), () -> hasty.enqueue(TASK, o -> o.id("sent")));
    BrokerException unsent = timed(ofMillis(200), () -> hasty.enqueue(TASK, o -> o.id("unsent")));

    assertThat(sent)
        .hasMessageContaining("within the limit of this call")
        .hasMessageContaining("was sent and may be enqueued");
    assertThat(sent.mayHaveBeenApplied()).isTrue();
    assertThat(unsent).hasMessageEndingWith("the task was not sent");
    assertThat(unsent.mayHaveBeenApplied()).isFalse();
    server.resume();
    assertThat(client.within(ofSeconds(10)).enqueue(TASK, o -> o.id("later")).isEnqueued())
        .isTrue();
    assertThat(admin.lrange(PENDING, 0, -1)).contains("later").doesNotContain("unsent");
  }

  @Test
  void manyWithALimitEndInTimeEachWithItsOwnAnswer() {
    Enqueuer hasty = client.within(ofMillis(200));
    List<EnqueueRequest> requests =
        IntStream.range(0, 500).mapToObj(i -> EnqueueRequest.of(TASK)).toList();
    server.pause();

    long started = System.nanoTime();
    List<EnqueueResult> results = hasty.enqueueAll(requests);

    assertThat(System.nanoTime() - started).isLessThan(ofSeconds(8).toNanos());
    assertThat(results).hasSize(500).hasOnlyElementsOfType(Failed.class);
    assertThat(results.subList(400, 500))
        .allSatisfy(
            result ->
                assertThat(((Failed) result).error())
                    .isInstanceOfSatisfying(
                        BrokerException.class, e -> assertThat(e.mayHaveBeenApplied()).isFalse()));
  }

  @Test
  void anAsyncCallWithALimitEndsInTime() {
    server.pause();

    BrokerException failure =
        timed(
            ofMillis(200),
            () -> {
              try {
                client.within(ofMillis(200)).enqueueAsync(TASK).toCompletableFuture().join();
              } catch (CompletionException e) {
                throw (RuntimeException) e.getCause();
              }
            });

    assertThat(failure).hasMessageContaining("within the limit of this call");
  }

  private static BrokerException timed(Duration limit, ThrowingCallable call) {
    long started = System.nanoTime();
    BrokerUnavailableException thrown =
        catchThrowableOfType(BrokerUnavailableException.class, call);
    // Less than the ten seconds that a command may take here, with room for a busy machine.
    assertThat(System.nanoTime() - started).isLessThan(limit.plusSeconds(7).toNanos());
    assertThat(thrown).isNotNull();
    return thrown;
  }

  @Test
  void anInterruptEndsTheWaitAndIsKept() throws Exception {
    server.pause();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<Boolean> kept = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                client.within(ofSeconds(30)).enqueue(TASK);
              } catch (RuntimeException e) {
                thrown.set(e);
                kept.set(Thread.currentThread().isInterrupted());
              }
            });
    caller.start();
    await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
    caller.interrupt();
    caller.join(10_000);

    assertThat(thrown.get())
        .isInstanceOf(BrokerUnavailableException.class)
        .hasMessageStartingWith("interrupted while waiting for Redis");
    assertThat(kept.get()).isTrue();
  }

  @Test
  void whenTooManyWaitAnAsyncCallBlocksUntilThereIsRoom() {
    try (TaskClient small = TaskClient.builder(redis).maxWaiting(3).build()) {
      server.pause();
      var first = small.enqueueAsync(Task.of("t", Payload.of(new byte[4096])));
      var second = small.enqueueAsync(TASK);

      assertThatThrownBy(
              () -> small.within(ofMillis(50)).enqueueAsync(TASK).toCompletableFuture().join())
          .cause()
          .isInstanceOf(BrokerUnavailableException.class)
          .hasMessageContaining("the buffer of 3 pending enqueues is full")
          .hasMessageEndingWith("the task was not sent");
      server.resume();
      assertThat(small.enqueueAsync(TASK).toCompletableFuture().join().isEnqueued()).isTrue();
      assertThat(first.toCompletableFuture().join().isEnqueued()).isTrue();
      assertThat(second.toCompletableFuture().join().isEnqueued()).isTrue();
      assertThat(admin.llen(PENDING)).isEqualTo(3);
    }
  }

  @Test
  void b05_whenRedisIsDownEveryItemFailsAndSoon() {
    try (EmbeddedRedis doomed = EmbeddedRedis.builder().ephemeral().start();
        RedisConnection lost =
            RedisConnection.open(
                RedisConfig.parse(doomed.uri()).toBuilder().retryFor(ofMillis(500)).build());
        TaskClient orphan = TaskClient.create(lost)) {
      doomed.stop();
      long started = System.nanoTime();

      List<EnqueueResult> results =
          orphan.enqueueAll(
              IntStream.range(0, 1_000)
                  .mapToObj(i -> EnqueueRequest.of(TASK, o -> o.queue("q" + i % 10)))
                  .toList());

      assertThat(results)
          .hasSize(1_000)
          .allSatisfy(
              result ->
                  assertThat(((Failed) result).error())
                      .isInstanceOf(BrokerUnavailableException.class));
      assertThat(System.nanoTime() - started).isLessThan(ofSeconds(30).toNanos());
    }
  }
}
