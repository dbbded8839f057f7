package io.asynq4j.internal.redis.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.redis.watch.RedisStoreWatch.Shard;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ShardFanOutTest {

  private static final QueueName NEAR = QueueName.of("near");
  private static final QueueName FAR = QueueName.of("far");
  private static final Set<QueuePart> PARTS = Set.of(QueuePart.PENDING);

  private final AtomicLong patienceNanos = new AtomicLong(TimeUnit.MILLISECONDS.toNanos(250));
  private final ShardFanOut questions = new ShardFanOut(patienceNanos::get);
  private final CountDownLatch arrival = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();

  private static Shard shard(QueueName queue) {
    return new Shard(queue.value(), 0, List.of(queue));
  }

  /** The far server answers once, late, that its queue has something. */
  private Set<QueueName> answer(Shard shard) {
    if (shard.queues().contains(NEAR)) {
      return Set.of(NEAR);
    }
    if (asked.incrementAndGet() > 1) {
      return Set.of();
    }
    try {
      arrival.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return Set.of(FAR);
  }

  private Set<QueueName> look(Set<QueuePart> parts) {
    return questions.ask(List.of(shard(NEAR), shard(FAR)), this::answer, parts);
  }

  /** Looks until the near server has answered in time, which a busy machine may prevent. */
  private void findsOnlyNear(Set<QueuePart> parts) {
    await().untilAsserted(() -> assertThat(look(parts)).containsExactly(NEAR));
  }

  @Test
  void whatIsAnsweredTooLateForOneLookIsKnownToTheNext() {
    findsOnlyNear(PARTS);
    await().untilAsserted(() -> assertThat(asked).hasValue(1));
    findsOnlyNear(PARTS);
    assertThat(asked).as("the same is not asked twice at once").hasValue(1);
    findsOnlyNear(Set.of(QueuePart.ACTIVE));
    await("something else is asked").until(() -> asked.get() > 1);

    arrival.countDown();

    await().until(() -> look(PARTS).contains(FAR));
    findsOnlyNear(PARTS);
  }

  @Test
  void noCallerWaitsForAServerWhoseLastReplyWasLate() {
    Semaphore answers = new Semaphore(0);
    Set<QueueName> reported = ConcurrentHashMap.newKeySet();
    Function<Shard, Set<QueueName>> late =
        shard -> {
          answers.acquireUninterruptibly();
          return Set.of(FAR);
        };
    patienceNanos.set(1);
    assertThat(questions.ask(List.of(shard(FAR)), late, reported::addAll)).isEmpty();
    answers.release();
    await().until(() -> reported.remove(FAR));

    // A look that waited would take an hour.
    patienceNanos.set(TimeUnit.HOURS.toNanos(1));
    assertThat(questions.ask(List.of(shard(FAR)), late, reported::addAll)).isEmpty();
    answers.release();
    await().until(() -> reported.remove(FAR));

    answers.release(1_000);
    await("it has answered in time")
        .until(() -> questions.ask(List.of(shard(FAR)), late, reported::addAll).contains(FAR));
  }

  @Test
  void dataOfTheOtherServersIsReturnedAndASilentOneIsNotAskedAgain() {
    List<Shard> shards = List.of(shard(NEAR), shard(FAR));
    for (int i = 0; i < 3; i++) {
      await().untilAsserted(() -> assertThat(data(shards)).containsOnlyKeys(shards.get(0)));
    }
    await().untilAsserted(() -> assertThat(asked).hasValue(1));

    arrival.countDown();

    await().until(() -> data(shards).keySet().containsAll(shards));
  }

  @Test
  void aServerThatIsBeingAskedIsAskedByOthersToo() throws Exception {
    Duration longEnough = Duration.ofMinutes(1);
    List<Shard> shards = List.of(shard(FAR));
    CompletableFuture<Map<Shard, Set<QueueName>>> first =
        CompletableFuture.supplyAsync(() -> questions.askAll(shards, this::answer, longEnough));
    await().until(() -> asked.get() == 1);

    assertThat(questions.askAll(shards, shard -> "data", longEnough)).containsValue("data");

    arrival.countDown();
    assertThat(first.get(30, TimeUnit.SECONDS)).containsValue(Set.of(FAR));
  }

  private Map<Shard, Set<QueueName>> data(List<Shard> shards) {
    return questions.askAll(shards, this::answer, Duration.ofMillis(250));
  }
}
