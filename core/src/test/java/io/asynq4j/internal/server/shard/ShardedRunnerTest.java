package io.asynq4j.internal.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerRefusedException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.internal.server.config.ServerListeners;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShardedRunnerTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RecordingServerListener recorder = new RecordingServerListener();
  private final OutageTracker outages =
      new OutageTracker(new ServerListeners(List.of(recorder)), Clock.systemUTC());
  private final Collection<String> done = new ConcurrentLinkedQueue<>();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private ShardedRunner lanes(Function<String, String> shards, Consumer<String> action) {
    return new ShardedRunner(
        "test",
        new ShardTopology(
            new StubStoreWatch(queue -> shards.apply(queue.value())), outages, threads),
        Duration.ofMillis(10),
        queue -> {
          action.accept(queue.value());
          done.add(queue.value());
          return true;
        });
  }

  private static List<QueueName> queues(String... names) {
    return Arrays.stream(names).map(QueueName::of).toList();
  }

  private static BrokerUnavailableException away() {
    return new BrokerUnavailableException("away", false, new Exception());
  }

  @Test
  void aQueueThatRedisRefusesKeepsNoOtherFromItsTurn() {
    ShardedRunner lanes =
        lanes(
            any -> "",
            queue -> {
              if (queue.equals("a") || queue.equals("c")) {
                throw new BrokerRefusedException(queue, false, new Exception());
              }
            });

    assertThatThrownBy(() -> lanes.each(queues("a", "b", "c", "d"))).hasMessage("a");

    assertThat(done).containsExactly("b", "d");
  }

  @Test
  void aQueueThatCannotBeReachedByItselfKeepsNoOtherFromItsTurn() {
    ShardedRunner lanes =
        lanes(
            any -> "",
            queue -> {
              if (queue.equals("a")) {
                throw away();
              }
            });

    assertThatThrownBy(() -> lanes.each(queues("a", "b"))).hasMessage("away");

    assertThat(done).containsExactly("b");
  }

  @Test
  void aServerThatIsAwayIsNotAskedForEachQueueAndThoseThatFailedComeLast() {
    Collection<String> asked = new ConcurrentLinkedQueue<>();
    ShardedRunner lanes =
        lanes(
            any -> "",
            queue -> {
              asked.add(queue);
              throw away();
            });

    assertThatThrownBy(() -> lanes.each(queues("a", "b", "c", "d"))).hasMessage("away");
    assertThat(asked).containsExactly("a", "b");
    assertThatThrownBy(() -> lanes.each(queues("a", "b", "c", "d"))).hasMessage("away");
    assertThat(asked).containsExactly("a", "b", "c", "d");
  }

  @Test
  void aServerThatIsSilentKeepsOnlyItsOwnQueuesWaiting() {
    CountDownLatch silence = new CountDownLatch(1);
    ShardedRunner lanes =
        lanes(
            queue -> queue.substring(0, 1),
            queue -> {
              if (queue.startsWith("s")) {
                try {
                  silence.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }
            });

    lanes.each(queues("s1", "h1", "s2", "h2"));
    lanes.each(queues("s1", "h3", "g1"));

    await().until(() -> done.containsAll(List.of("h1", "h2", "h3", "g1")));
    assertThat(done).noneMatch(queue -> queue.startsWith("s"));
    silence.countDown();
    await().until(() -> done.containsAll(List.of("s1", "s2")));
  }

  @Test
  void whatFailedWhileAServerWasAwayIsDoneOnceItIsBack() {
    CountDownLatch tries = new CountDownLatch(5);
    ShardedRunner lanes =
        lanes(
            queue -> queue.substring(0, 1),
            queue -> {
              if (queue.startsWith("s") && tries.getCount() > 0) {
                tries.countDown();
                throw away();
              }
            });

    lanes.each(queues("s1", "s2", "s3", "h1"));

    await().until(() -> done.containsAll(List.of("s1", "s2", "s3", "h1")));
    await().until(() -> recorder.lines("outage").size() == 2);
    assertThat(recorder.lines("outage")).containsExactly("outageStarted", "outageEnded");
  }

  @Test
  void aLaneContinuesAfterNoThreadWasAvailableForItsNextAttempt() {
    AtomicInteger executions = new AtomicInteger();
    AtomicInteger tries = new AtomicInteger();
    Executor scarce =
        task -> {
          if (executions.incrementAndGet() == 2) {
            throw new OutOfMemoryError("unable to create native thread, on purpose");
          }
          threads.execute(task);
        };
    ShardedRunner lanes =
        new ShardedRunner(
            "test",
            new ShardTopology(new StubStoreWatch(queue -> "s"), outages, scarce),
            Duration.ofMillis(10),
            queue -> {
              if (tries.incrementAndGet() == 1) {
                throw away();
              }
              done.add(queue.value());
              return true;
            });

    lanes.each(queues("s1"));
    await().until(() -> executions.get() == 2);

    await()
        .until(
            () -> {
              lanes.each(queues("s2"));
              return done.containsAll(List.of("s1", "s2"));
            });
  }

  @Test
  void anOutageIsNotOverBeforeTheServerWasAskedAgain() {
    AtomicInteger tries = new AtomicInteger();
    ShardedRunner lanes =
        new ShardedRunner(
            "test",
            new ShardTopology(new StubStoreWatch(queue -> "s"), outages, threads),
            Duration.ofMillis(10),
            queue -> {
              if (tries.incrementAndGet() == 1) {
                throw away();
              }
              return tries.get() > 3;
            });
    lanes.each(queues("s1"));
    await().until(() -> tries.get() == 2);
    lanes.each(queues("s1"));
    await().until(() -> tries.get() == 3);
    assertThat(outages.isDown("s")).isTrue();

    lanes.each(queues("s1"));

    await().until(() -> !outages.isDown("s"));
  }

  @Test
  void whereNoThreadCanBeHadTheCallerDoesIt() {
    ShardedRunner lanes =
        new ShardedRunner(
            "test",
            new ShardTopology(
                new StubStoreWatch(QueueName::value),
                outages,
                task -> {
                  throw new OutOfMemoryError("unable to create native thread, on purpose");
                }),
            Duration.ofMillis(10),
            queue -> done.add(queue.value()));

    lanes.each(queues("a", "b"));

    assertThat(done).containsExactly("a", "b");
  }
}
