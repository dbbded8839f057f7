package io.asynq4j.internal.redis.watch;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static io.asynq4j.fixture.BrokerFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.QueueName;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.StoreWatch.Watch;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** Queries of many queues, and notifications of their changes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
public class RedisStoreWatchIT {

  static final Set<QueuePart> PENDING = Set.of(QueuePart.PENDING);

  /** A connection that does not respond from one check to the next is given up: not too often. */
  private static final Duration CHECKS = Duration.ofSeconds(1);

  private TestRedis server;
  BrokerFixture redis;
  RedisStoreWatch storeWatch;
  final RecordedChanges recorded = new RecordedChanges();
  private final List<Watch> watches = new ArrayList<>();

  TestRedis start() {
    return TestRedis.standalone();
  }

  @BeforeAll
  void startServer() {
    server = start();
  }

  @AfterAll
  void stopServer() {
    server.close();
  }

  @BeforeEach
  void connect() {
    redis = new BrokerFixture(server);
    storeWatch = new RedisStoreWatch(redis.link, CHECKS);
    recorded.clear();
  }

  @AfterEach
  void disconnect() {
    watches.forEach(Watch::close);
    watches.clear();
    soon().until(() -> threads() == 0);
    redis.close();
  }

  /** The notifications of a listener. */
  static final class RecordedChanges implements StoreWatch.Listener {
    final Queue<String> changes = new ConcurrentLinkedQueue<>();
    final AtomicInteger losses = new AtomicInteger();

    @Override
    public void changed(QueueName queue, QueuePart part) {
      changes.add(queue.value() + " " + part);
    }

    @Override
    public void lost() {
      losses.incrementAndGet();
    }

    void clear() {
      changes.clear();
      losses.set(0);
    }

    long times(String change) {
      return changes.stream().filter(change::equals).count();
    }
  }

  /** Waits for what takes milliseconds. */
  static ConditionFactory soon() {
    return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
  }

  public static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("asynq-tracking"))
        .count();
  }

  static List<QueueName> queues(int count) {
    return IntStream.range(0, count).mapToObj(i -> QueueName.of("queue-" + i)).toList();
  }

  Watch watch(StoreWatch.Listener listener) {
    Watch watch = storeWatch.watch(listener);
    watches.add(watch);
    return watch;
  }

  /** A watch that has become live, after these were armed. */
  Watch liveWatch(Collection<QueueName> queues) {
    Watch watch = watch(recorded);
    arm(watch, queues);
    return watch;
  }

  /** Arms the watch until it is live, as callers do after it was lost. */
  void arm(Watch watch, Collection<QueueName> queues) {
    soon()
        .ignoreExceptions()
        .until(
            () -> {
              watch.arm(queues, PENDING);
              return watch.isLive();
            });
    watch.arm(queues, PENDING);
    recorded.clear();
  }

  /** Waits for a notification of this queue; earlier ones may be lost. */
  void awaitNotification(QueueName queue, Watch watch) {
    soon()
        .ignoreExceptions()
        .until(
            () -> {
              arm(watch, List.of(queue));
              push(queue);
              String change = queue.value() + " PENDING";
              soon().atMost(Duration.ofSeconds(1)).until(() -> recorded.times(change) == 1);
              return true;
            });
  }

  void push(QueueName queue) {
    redis.raw(Command.LPUSH, RedisKeys.of(queue, "pending"), "id");
  }

  /** Connections of the watch, by a letter in their flags: t = tracking, P = subscriber. */
  private List<String> connections(String flag) {
    List<String> ids = new ArrayList<>();
    Pattern line = Pattern.compile("id=(\\d+) .*name=asynq4j .*flags=\\S*" + flag + ".*");
    for (EmbeddedRedis primary : redis.server.primaries()) {
      try (Connection connection = TestRedis.connect(primary)) {
        String clients =
            ReplyParser.text(
                connection.executeCommand(new CommandArguments(Command.CLIENT).add("LIST")));
        for (String client : clients.lines().toList()) {
          Matcher match = line.matcher(client);
          if (match.matches()) {
            ids.add(match.group(1));
          }
        }
      }
    }
    return ids;
  }

  private void kill(String id) {
    for (EmbeddedRedis primary : redis.server.primaries()) {
      try (Connection connection = TestRedis.connect(primary)) {
        connection.executeCommand(
            new CommandArguments(Command.CLIENT).add("KILL").add("ID").add(id));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 14, 15, 199, 200, 201, 1000})
  void findsThoseThatHaveSomethingAmongAnyNumber(int count) {
    List<QueueName> all = queues(count);
    Set<QueuePart> parts = EnumSet.of(QueuePart.PENDING, QueuePart.SCHEDULED, QueuePart.RETRY);
    assertThat(storeWatch.having(all, parts)).isEmpty();

    List<QueueName> some = all.stream().filter(queue -> queue.hashCode() % 7 == 0).toList();
    for (int i = 0; i < some.size(); i++) {
      if (i % 2 == 0) {
        push(some.get(i));
      } else {
        redis.raw(Command.ZADD, RedisKeys.of(some.get(i), "retry"), "1", "id");
      }
    }
    assertThat(storeWatch.having(all, parts)).containsExactlyInAnyOrderElementsOf(some);
    Watch watch = liveWatch(Stream.concat(all.stream(), Stream.of(Q)).toList());
    assertThat(watch.arm(all, parts)).containsExactlyInAnyOrderElementsOf(some);

    all.forEach(this::push);
    assertThat(storeWatch.having(all, PENDING)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(storeWatch.having(all, Set.of(QueuePart.ARCHIVED))).isEmpty();
    assertThat(storeWatch.having(all, Set.of())).isEmpty();
  }

  @Test
  void beforeItIsLiveArmingAnswersAllTheSame() {
    push(Q);

    assertThat(watch(recorded).arm(List.of(Q, QueueName.of("other")), PENDING)).containsExactly(Q);
  }

  @Test
  void aPushIsNotifiedOnceUntilTheQueueIsArmedAgain() {
    Watch watch = liveWatch(List.of(Q));
    watch.arm(List.of(Q), Set.of(QueuePart.RETRY));
    push(Q);
    soon().until(() -> recorded.times("q PENDING") == 1);

    push(Q);
    redis.raw(Command.ZADD, key("retry"), "1", "id");
    // Notifications arrive in order: a second one of the push would have come before.
    soon().until(() -> recorded.times("q RETRY") == 1);
    assertThat(recorded.changes).containsExactly("q PENDING", "q RETRY");

    assertThat(watch.arm(List.of(Q), PENDING)).containsExactly(Q);
    push(Q);
    soon().until(() -> recorded.times("q PENDING") == 2);
    assertThat(recorded.losses).hasValue(0);
  }

  @Test
  void aPushInsideAScriptIsNotified() {
    liveWatch(List.of(Q));

    redis.link.call(
        key("pending"),
        ResendPolicy.NEVER,
        Command.EVAL,
        new CommandArgs().add("redis.call('LPUSH', KEYS[1], 'id')").add(1).add(key("pending")));

    soon().until(() -> recorded.times("q PENDING") == 1);
  }

  @Test
  void tasksThatThisLibraryEnqueuesAreNotified() {
    liveWatch(List.of(Q));

    redis.enqueue("a");

    soon().until(() -> recorded.times("q PENDING") == 1);
  }

  @ParameterizedTest
  @CsvSource({"SCHEDULED, scheduled", "RETRY, retry", "LEASE, lease"})
  void everyChangeOfASetIsNotified(QueuePart part, String word) {
    Watch watch = liveWatch(List.of(Q));
    assertThat(watch.arm(List.of(Q), Set.of(part))).isEmpty();
    redis.raw(Command.ZADD, key(word), "5", "a");
    soon().until(() -> recorded.times("q " + part) == 1);

    assertThat(watch.arm(List.of(Q), Set.of(part))).containsExactly(Q);
    redis.raw(Command.ZADD, key(word), "6", "a");
    soon().until(() -> recorded.times("q " + part) == 2);

    assertThat(watch.arm(List.of(Q), Set.of(part))).containsExactly(Q);
    redis.raw(Command.ZREM, key(word), "a");
    soon().until(() -> recorded.times("q " + part) == 3);
    assertThat(watch.arm(List.of(Q), Set.of(part))).isEmpty();
  }

  @Test
  void pausingAndResumingAreNotified() {
    Watch watch = liveWatch(List.of(Q));
    assertThat(watch.arm(List.of(Q), Set.of(QueuePart.PAUSED))).isEmpty();
    redis.queueControl().pause(Q);
    soon().until(() -> recorded.times("q PAUSED") == 1);

    assertThat(watch.arm(List.of(Q), Set.of(QueuePart.PAUSED))).containsExactly(Q);
    redis.queueControl().resume(Q);
    soon().until(() -> recorded.times("q PAUSED") == 2);
  }

  @Test
  void noPushIsOverlookedHoweverItMeetsTheArming() throws Exception {
    List<QueueName> all = queues(2000);
    Watch watch = liveWatch(all.subList(0, 50));
    Set<String> seen = ConcurrentHashMap.newKeySet();
    CyclicBarrier together = new CyclicBarrier(2);
    ExecutorService pusher = Executors.newSingleThreadExecutor();
    Future<?> pushes =
        pusher.submit(
            () -> {
              for (QueueName queue : all) {
                together.await(30, TimeUnit.SECONDS);
                push(queue);
              }
              return null;
            });
    for (QueueName queue : all) {
      together.await(30, TimeUnit.SECONDS);
      watch.arm(List.of(queue), PENDING).forEach(found -> seen.add(found.value()));
    }
    pushes.get(30, TimeUnit.SECONDS);
    pusher.shutdown();

    soon()
        .untilAsserted(
            () -> {
              recorded.changes.forEach(change -> seen.add(change.replace(" PENDING", "")));
              assertThat(seen).hasSize(all.size());
            });
    assertThat(recorded.losses).as("nothing was lost that had to be looked at").hasValue(0);
    assertThat(recorded.changes).as("some were pushed after they were armed").isNotEmpty();
  }

  @Test
  void severalWatchesAreNotifiedAndShareTheirConnections() {
    liveWatch(List.of(Q));
    RecordedChanges second = new RecordedChanges();
    Watch other = watch(second);
    soon().until(other::isLive);
    other.arm(List.of(Q), PENDING);
    assertThat(connections("P")).hasSize(1);
    assertThat(connections("t")).hasSize(1);

    push(Q);
    soon().until(() -> recorded.times("q PENDING") == 1 && second.times("q PENDING") == 1);
    other.close();
    assertThat(connections("P")).hasSize(1);
  }

  @Test
  void aListenerThatFailsIsCalledAgainTheNextTime() {
    Watch watch =
        watch(
            new StoreWatch.Listener() {
              @Override
              public void changed(QueueName queue, QueuePart part) {
                recorded.changed(queue, part);
                throw new IllegalStateException("on purpose");
              }

              @Override
              public void lost() {
                recorded.lost();
                throw new IllegalStateException("on purpose");
              }
            });
    arm(watch, List.of(Q));
    push(Q);
    soon().until(() -> recorded.times("q PENDING") == 1);
    watch.arm(List.of(Q), PENDING);
    push(Q);
    soon().until(() -> recorded.times("q PENDING") == 2);
  }

  @Test
  void whenRedisForgetsEverythingAllIsLost() {
    Watch watch = liveWatch(List.of(Q));

    redis.server.flush();

    soon().until(() -> recorded.losses.get() > 0);
    arm(watch, List.of(Q));
    push(Q);
    soon().until(() -> recorded.times("q PENDING") == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"t", "P"})
  void aLostConnectionIsReportedAndReplaced(String flag) {
    Watch watch = liveWatch(List.of(Q));

    connections(flag).forEach(this::kill);

    // Once when it is lost, and once when it is there again.
    soon().until(() -> recorded.losses.get() >= 2 && watch.isLive());
    awaitNotification(Q, watch);
    soon().until(() -> connections("P").size() == 1 && connections("t").size() == 1);
  }

  @Test
  void closeLeavesNoThreadAndNoConnectionAndNotifiesNobody() {
    Watch watch = liveWatch(queues(100));
    assertThat(threads()).isGreaterThan(1);

    watch.close();
    watch.close();

    soon().until(() -> threads() == 0);
    soon().until(() -> connections("P").isEmpty() && connections("t").isEmpty());
    assertThat(watch.isLive()).isFalse();
    assertThat(recorded.losses).hasValue(0);
  }

  @Test
  void theLinkMayBeClosedFirst() {
    Watch watch = liveWatch(List.of(Q));
    redis.link.close();

    soon().until(() -> threads() == 0 && !watch.isLive());
    watch.close();
    soon().until(() -> connections("P").isEmpty() && connections("t").isEmpty());
  }
}
