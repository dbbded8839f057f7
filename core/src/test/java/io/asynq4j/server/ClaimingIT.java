package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.broker.TaskMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;

/** Claiming of tasks by servers. */
class ClaimingIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final Handler<Task> see =
      (task, context) -> {
        seen.add(context.id());
        return Outcome.done();
      };

  @Test
  void whatWaitsAndWhatComesLaterIsProcessed() {
    world.enqueueMany("early", 20, options -> options);
    world.start(world.quick(see));
    world.enqueueMany("late", 20, options -> options);

    soon(() -> assertThat(seen).hasSize(40).doesNotHaveDuplicates());
    world.awaitNothingActive();
  }

  @Test
  void aTaskThatComesIntoAnEmptyQueueIsProcessed() {
    RecordingServerListener recorder = new RecordingServerListener();
    world.start(world.quick(see).listener(recorder));
    soon(() -> assertThat(world.broker().presence().seen(broken -> {})).hasSize(1));

    world.enqueue("a");

    soon(
        () ->
            assertThat(recorder.lines())
                .containsExactly(
                    "claimed default 1", "started a", "finished a DONE", "settled a DONE"));
  }

  @Test
  void aPayloadArrivesAsItWasSent() {
    Map<String, Payload> got = new ConcurrentHashMap<>();
    Payload payload = Payload.ofUtf8("{\"n\":9223372036854775807}");
    world.enqueue(Task.of("t", payload), "a");
    world.start(
        world.quick(
            (task, context) -> {
              got.put(context.id(), task.payload());
              return Outcome.done();
            }));

    soon(() -> assertThat(got).containsExactly(Map.entry("a", payload)));
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1000})
  void queuesShareTheWorkersByTheirWeights(int concurrency) {
    int most = 10_000;
    Map<String, Integer> weights = Map.of("six", 6, "three", 3, "one", 1);
    weights.forEach(
        (queue, weight) ->
            world.enqueueMany(queue, 1_100 * weight + 800, options -> options.queue(queue)));
    Map<String, AtomicInteger> claimed = new ConcurrentHashMap<>();
    AtomicInteger all = new AtomicInteger();
    ServerListener counter =
        new ServerListener() {
          @Override
          public void claimed(QueueName queue, int count) {
            if (all.getAndAdd(count) < most) {
              claimed.computeIfAbsent(queue.value(), any -> new AtomicInteger()).addAndGet(count);
            }
          }
        };
    TaskServerBuilder builder = world.quick(see).concurrency(concurrency).listener(counter);
    weights.forEach(builder::queue);
    TaskServer server = world.start(builder);

    soon(() -> assertThat(all.get()).isGreaterThanOrEqualTo(most));
    server.stop();
    double total = claimed.values().stream().mapToInt(AtomicInteger::get).sum();
    weights.forEach(
        (queue, weight) ->
            assertThat(count(claimed, queue) / total * 10)
                .as("%s of %s", queue, claimed)
                .isCloseTo(weight, Percentage.withPercentage(5)));
  }

  private static int count(Map<String, AtomicInteger> counts, String queue) {
    return counts.getOrDefault(queue, new AtomicInteger()).get();
  }

  @Test
  void strictlyAHeavierQueueComesFirst() {
    for (String queue : List.of("low", "default", "critical")) {
      world.enqueueMany(queue, 40, options -> options.queue(queue));
    }
    world.start(
        world
            .quick(see)
            .queue("critical", 6)
            .queue("default", 3)
            .queue("low", 1)
            .queues(q -> q.strictPriority())
            .concurrency(1));

    soon(() -> assertThat(seen).hasSize(120));
    List<String> expected = new ArrayList<>();
    for (String queue : List.of("critical", "default", "low")) {
      IntStream.range(0, 40).forEach(i -> expected.add(queue + i));
    }
    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void noTaskOfManyQueuesIsLeftWaiting() throws Exception {
    int queues = 100;
    int each = 20;
    Map<String, Integer> weights = new LinkedHashMap<>();
    IntStream.range(0, queues).forEach(i -> weights.put("q" + i, 1 + i % 5));
    // Without periodic checks: a task that Redis does not report in time is found too late.
    TaskServerBuilder builder =
        world
            .quick(see)
            .concurrency(16)
            .timing(timing -> timing.pollInterval(Duration.ofMinutes(1)));
    weights.forEach(builder::queue);
    world.start(builder);

    List<Thread> producers = new ArrayList<>();
    for (int p = 0; p < 4; p++) {
      Random random = new Random(p);
      String name = "p" + p + "-";
      Thread producer =
          new Thread(
              () -> {
                for (int i = 0; i < queues * each / 4; i++) {
                  String queue = "q" + random.nextInt(queues);
                  world.enqueue(name + i, options -> options.queue(queue));
                }
              });
      producers.add(producer);
      producer.start();
    }
    for (Thread producer : producers) {
      producer.join();
    }

    soon(() -> assertThat(seen).hasSize(queues * each).doesNotHaveDuplicates());
  }

  @Test
  void fixesW30_queuesComeAndGoWhileTheServerRuns() throws Exception {
    TaskServer server = world.start(world.quick(see).queue("one"));
    world.enqueue("a", options -> options.queue("one"));
    world.enqueue("b", options -> options.queue("two"));
    soon(() -> assertThat(seen).containsExactly("a"));

    server.addQueue("two", 3);
    soon(() -> assertThat(seen).containsExactly("a", "b"));
    assertThat(server.queues()).containsOnly(Map.entry("one", 1), Map.entry("two", 3));
    soon(
        () ->
            assertThat(world.broker().presence().seen(broken -> {}).get(0).server().queues())
                .containsOnly(Map.entry("one", 1), Map.entry("two", 3)));

    assertThat(server.removeQueue("one")).isTrue();
    assertThat(server.removeQueue("one")).isFalse();
    world.enqueue("c", options -> options.queue("one"));
    world.enqueue("d", options -> options.queue("two"));
    soon(() -> assertThat(seen).containsExactly("a", "b", "d"));
    // Long enough for several looks at a queue that is not looked at any more.
    Thread.sleep(100);
    assertThat(world.count(QueueName.of("one"), TaskState.PENDING)).isEqualTo(1);
  }

  @Test
  void aPatternMatchesQueuesThatAreCreatedLater() {
    world.enqueue("a", options -> options.queue("tenant-1"));
    world.enqueue("x", options -> options.queue("other"));
    TaskServer server = world.start(world.quick(see).queues(q -> q.matching("tenant-*", 2)));
    soon(() -> assertThat(seen).containsExactly("a"));

    world.enqueue("b", options -> options.queue("tenant-2"));
    soon(() -> assertThat(seen).containsExactly("a", "b"));
    assertThat(server.queues()).containsOnly(Map.entry("tenant-1", 2), Map.entry("tenant-2", 2));
  }

  @Test
  void settingsOfAQueueWinOverThoseOfAPattern() throws Exception {
    world.enqueue("a", options -> options.queue("tenant-1"));
    TaskServer server = world.start(world.quick(see).queues(q -> q.matching("tenant-*", 2)));
    soon(() -> assertThat(seen).containsExactly("a"));

    server.removeQueue("tenant-1");
    server.addQueue("tenant-9", 7);
    world.enqueue("b", options -> options.queue("tenant-1"));
    // Long enough for patterns to be looked at several times: 5 polls of 20 ms each.
    Thread.sleep(400);

    assertThat(server.queues()).containsOnly(Map.entry("tenant-9", 7));
    assertThat(seen).containsExactly("a");
  }

  @Test
  void aTaskThatIsClaimedAfterItsQueueWasRemovedGoesBack() throws Exception {
    world.enqueue("a");
    try (Jedis jedis = world.jedis()) {
      jedis.clientPause(60_000, ClientPauseMode.WRITE);
      TaskServer server = world.start(world.quick(see));
      soon(() -> assertThat(blockedScripts(jedis)).isPositive());
      // For the claim to be among them. If it comes later, there is nothing to give back.
      Thread.sleep(500);
      server.removeQueue("default");
      jedis.clientUnpause();

      soon(() -> assertThat(blockedScripts(jedis)).isZero());
      world.awaitState("a", TaskState.PENDING);
      world.awaitNothingActive();
      assertThat(seen).isEmpty();

      server.addQueue("default", 1);
      soon(() -> assertThat(seen).containsExactly("a"));
    }
  }

  private static long blockedScripts(Jedis jedis) {
    return jedis
        .clientList()
        .lines()
        .filter(client -> client.contains(" flags=b") && client.contains(" cmd=evalsha"))
        .count();
  }

  @Test
  void aPausedQueueRestsUntilItIsResumed() throws Exception {
    world.start(world.quick(see));
    world.enqueue("a");
    soon(() -> assertThat(seen).containsExactly("a"));
    world.queueControl().pause(ServerFixture.Q);
    world.enqueue("b");
    // Long enough for several polls.
    Thread.sleep(200);
    assertThat(seen).containsExactly("a");

    world.queueControl().resume(ServerFixture.Q);

    soon(() -> assertThat(seen).containsExactly("a", "b"));
  }

  @Test
  void aPausedQueueIsNotAskedAllTheTime() throws Exception {
    world.queueControl().pause(ServerFixture.Q);
    world.enqueue("a");
    world.start(world.quick(see).timing(timing -> timing.pollInterval(Duration.ofMillis(100))));
    soon(() -> assertThat(world.broker().presence().seen(broken -> {})).hasSize(1));
    long before = commands();
    // The time over which commands are counted.
    Thread.sleep(1_000);

    assertThat(commands() - before).isLessThan(300);
  }

  private static long commands() {
    try (Jedis jedis = world.jedis()) {
      return jedis
          .info("stats")
          .lines()
          .filter(line -> line.startsWith("total_commands_processed:"))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
          .sum();
    }
  }

  /** Counts the running handlers, and their maximum. */
  private static final class Gauge {
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    Handler<Task> around(Handler<Task> handler) {
      return (task, context) -> {
        most.accumulateAndGet(now.incrementAndGet(), Math::max);
        try {
          return handler.handle(task, context);
        } finally {
          now.decrementAndGet();
        }
      };
    }
  }

  @Test
  void fixesW30_oneServerNeverRunsMoreOfAQueueThanItMay() {
    Gauge gauge = new Gauge();
    world.enqueueMany("a", 300, options -> options);
    world.start(
        world
            .quick(
                gauge.around(
                    (task, context) -> {
                      // So that handlers overlap.
                      Thread.sleep(2);
                      return see.handle(task, context);
                    }))
            .concurrency(16)
            .queue("default", q -> q.maxActive(3)));

    soon(() -> assertThat(seen).hasSize(300));
    assertThat(gauge.most).hasValue(3);
  }

  @Test
  void twoServersTogetherNeverRunMoreOfAQueueThanTheyMay() {
    Gauge gauge = new Gauge();
    world.enqueueMany("a", 200, options -> options);
    for (int i = 0; i < 2; i++) {
      world.start(
          world
              .quick(
                  gauge.around(
                      (task, context) -> {
                        // So that handlers overlap.
                        Thread.sleep(2);
                        return see.handle(task, context);
                      }))
              .concurrency(8)
              .queue("default", q -> q.maxActive(3)));
    }

    soon(() -> assertThat(seen).hasSize(200).doesNotHaveDuplicates());
    assertThat(gauge.most).hasValueLessThanOrEqualTo(3);
  }

  @Test
  void aLimitOfAnOperatorHoldsAtOnceAndWinsOverTheServersOwn() throws Exception {
    Set<String> running = ConcurrentHashMap.newKeySet();
    CountDownLatch release = new CountDownLatch(1);
    world
        .queueControl()
        .setLimits(
            ServerFixture.Q,
            new QueueLimits(OptionalInt.of(2), Optional.empty(), Optional.empty()));
    world.enqueueMany("a", 10, options -> options);
    world.start(
        world
            .quick(
                (task, context) -> {
                  running.add(context.id());
                  release.await();
                  return Outcome.done();
                })
            .concurrency(10)
            .queue("default", q -> q.maxActive(5)));
    soon(() -> assertThat(running).hasSize(2));

    world
        .queueControl()
        .setLimits(
            ServerFixture.Q,
            new QueueLimits(OptionalInt.of(4), Optional.empty(), Optional.empty()));
    soon(() -> assertThat(running).hasSize(4));
    world.queueControl().setLimits(ServerFixture.Q, QueueLimits.NONE);
    soon(() -> assertThat(running).hasSize(5));
    // Long enough for several polls.
    Thread.sleep(100);
    assertThat(running).hasSize(5);

    release.countDown();
    soon(() -> assertThat(running).hasSize(10));
  }

  @Test
  void anOrderedQueueKeepsItsOrderWhateverFails() {
    int count = Boolean.getBoolean("asynq4j.full") ? 10_000 : 1_000;
    world.enqueueMany("", count, options -> options.maxRetry(1_000));
    Random random = new Random(7);
    List<String> done = Collections.synchronizedList(new ArrayList<>());
    Gauge gauge = new Gauge();
    Handler<Task> handler =
        gauge.around(
            (task, context) -> {
              int dice = random.nextInt(50);
              if (dice == 0) {
                throw new IllegalStateException("not now");
              } else if (dice == 1) {
                return Outcome.snooze(Duration.ofMillis(3));
              }
              done.add(context.id());
              return Outcome.done();
            });
    world.start(
        world
            .quick(handler)
            .concurrency(8)
            .queue("default", q -> q.ordered())
            .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(5))));

    await().atMost(Duration.ofMinutes(2)).until(() -> done.size() == count);
    assertThat(done).isEqualTo(IntStream.range(0, count).mapToObj(Integer::toString).toList());
    assertThat(gauge.most).hasValue(1);
  }

  @Test
  void removingTheTaskThatBlocksAnOrderedQueueLetsTheNextOneRun() {
    world.start(
        world
            .quick(
                (task, context) -> {
                  if (context.id().equals("bad")) {
                    throw new IllegalStateException("for an hour");
                  }
                  return see.handle(task, context);
                })
            .queue("default", q -> q.ordered()));
    world.enqueue("bad");
    world.enqueue("good");
    soon(() -> assertThat(world.info("bad").retried()).isEqualTo(1));
    assertThat(world.ids(ServerFixture.Q, TaskState.PENDING)).containsExactly("bad", "good");

    world.actions().delete(ServerFixture.Q, List.of("bad"));

    soon(() -> assertThat(seen).containsExactly("good"));
  }

  @Test
  void aBrokenQueueKeepsNoOtherFromBeingServed() {
    try (Jedis jedis = world.jedis()) {
      for (String word : List.of("pending", "scheduled", "lease", "groups", "completed")) {
        jedis.set("asynq:{broken}:" + word, "a string has no place here");
      }
    }
    world.start(world.quick(see).queue("broken", 9).queue("default", 1));
    for (int i = 0; i < 10; i++) {
      String id = "a" + i;
      world.enqueue(id, options -> options.processIn(Duration.ofSeconds(1)));
      world.enqueue("b" + i);
    }

    soon(() -> assertThat(seen).hasSize(20).doesNotHaveDuplicates());
  }

  @Test
  void leasesAreKeptAlsoBesideABrokenQueue() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch both = new CountDownLatch(2);
    RecordingServerListener recorder = new RecordingServerListener();
    world.enqueue("a");
    world.enqueue("x", options -> options.queue("broken"));
    world.start(
        world
            .quick(
                (task, context) -> {
                  both.countDown();
                  release.await();
                  return Outcome.done();
                })
            .queue("broken", 9)
            .queue("default", 1)
            .listener(recorder));
    both.await();
    try (Jedis jedis = world.jedis()) {
      jedis.del("asynq:{broken}:lease");
      jedis.set("asynq:{broken}:lease", "a string has no place here");
      // Longer than the lease of 3 s, and as long as a recoverer needs to notice.
      Thread.sleep(4_500);
    }
    release.countDown();

    soon(() -> assertThat(recorder.lines()).contains("settled a DONE"));
    assertThat(recorder.lines("recovered")).isEmpty();
    try (Jedis jedis = world.jedis()) {
      jedis.del("asynq:{broken}:lease");
    }
  }

  @Test
  void whatAnExecutorDoesNotTakeGoesBackAndTheServerDoesNotSpin() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    world.enqueueMany("a", 3, options -> options);
    world.start(
        world
            .quick(see)
            .executor(
                task -> {
                  if (refused.incrementAndGet() <= 3) {
                    throw refused.get() == 2
                        ? new IllegalStateException("odd")
                        : new RejectedExecutionException("full");
                  }
                  new Thread(task).start();
                }));

    soon(() -> assertThat(seen).containsExactlyInAnyOrder("a0", "a1", "a2"));
    world.awaitNothingActive();
    assertThat(refused.get()).isLessThan(20);
  }

  @Test
  void fixesW17_anUnreadableMessageAffectsNoOther() {
    world.enqueue("a");
    world.enqueue("b");
    try (Jedis jedis = world.jedis()) {
      jedis.hset("asynq:{default}:t:a", "msg", "\\u0001garbage");
    }
    world.start(world.quick(see));

    soon(() -> assertThat(seen).containsExactly("b"));
    soon(
        () -> {
          try (Jedis jedis = world.jedis()) {
            assertThat(jedis.zrange("asynq:{default}:archived", 0, -1)).containsExactly("a");
          }
        });
  }

  @Test
  void aMessageOfWhichNoAttemptCanBeMadeHurtsNoOther() {
    TaskMessage good = world.task("bad", options -> options).message();
    TaskMessage bad =
        new TaskMessage(
            good.type(),
            good.payload(),
            good.id(),
            good.queue(),
            good.maxRetry(),
            good.retried(),
            good.lastError(),
            Duration.ofSeconds(Long.MIN_VALUE),
            good.deadline(),
            good.uniqueKey(),
            good.lastFailedAt(),
            good.retention(),
            good.completedAt(),
            good.group(),
            good.headers(),
            good.unknownFields());
    world.broker().enqueueing().enqueue(List.of(new NewTask(bad, new Placement.Pending(), null)));
    world.enqueueMany("a", 3, options -> options);
    world.start(world.quick(see));

    soon(() -> assertThat(seen).contains("a0", "a1", "a2"));
    world.awaitNothingActive();
    assertThat(world.state("bad")).isNotEqualTo(TaskState.PENDING);
  }
}
