package io.asynq4j.faults;

import static io.asynq4j.fixture.BrokerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Payload;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.embedded.EmbeddedSentinel;
import io.asynq4j.fixture.BrokerFixture;
import io.asynq4j.fixture.CapturedWarnings;
import io.asynq4j.fixture.RestartServersAfterFailure;
import io.asynq4j.fixture.TestRedis;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** A failover while tasks are enqueued and processed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(RestartServersAfterFailure.class)
class SentinelFailoverIT {

  private EmbeddedSentinel sentinel;
  private BrokerFixture redis;

  @BeforeAll
  void start() {
    sentinel = EmbeddedSentinel.start();
  }

  @AfterAll
  void stop() {
    sentinel.close();
  }

  @BeforeEach
  void connect() {
    redis =
        new BrokerFixture(
            new TestRedis() {
              @Override
              public RedisConfig config() {
                return RedisConfig.parse(sentinel.uri()).toBuilder()
                    .retryFor(Duration.ofMillis(500))
                    .build();
              }

              @Override
              public List<EmbeddedRedis> primaries() {
                return List.of(sentinel.primary());
              }

              @Override
              public void close() {}
            });
  }

  @AfterEach
  void disconnect() {
    redis.close();
  }

  /** Producers and workers that do not give up, and a record of all their replies. */
  private final class Traffic implements AutoCloseable {
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> done = new ConcurrentHashMap<>();
    private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    private final AtomicInteger outages = new AtomicInteger();
    private final AtomicBoolean stopProducing = new AtomicBoolean();
    private final AtomicBoolean stopWorking = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Traffic() {
      for (int i = 0; i < 2; i++) {
        int producer = i;
        threads.execute(() -> produce(producer));
        threads.execute(this::work);
      }
    }

    private void produce(int producer) {
      for (int i = 0; !stopProducing.get(); i++) {
        String id = producer + "-" + i;
        if (tried(() -> redis.enqueue(id))) {
          accepted.add(id);
        }
      }
    }

    private void work() {
      while (!stopWorking.get()) {
        tried(() -> redis.claim(10).forEach(this::complete));
      }
    }

    private void complete(Claim claim) {
      boolean answered = false;
      while (!answered && !stopWorking.get()) {
        answered =
            tried(
                () -> {
                  Settlement settlement = new Settlement.Complete(claim, Payload.absent());
                  if (redis.settle(settlement) == SettleResult.APPLIED) {
                    done.merge(claim.id(), 1, Integer::sum);
                  }
                });
      }
    }

    private boolean tried(Runnable call) {
      try {
        call.run();
        return true;
      } catch (BrokerUnavailableException e) {
        outages.incrementAndGet();
      } catch (RuntimeException e) {
        surprises.add(e);
      }
      return false;
    }

    void goesOn() {
      int accepted = this.accepted.size();
      int done = this.done.size();
      await().until(() -> this.accepted.size() > accepted + 20 && this.done.size() > done + 20);
    }

    @Override
    public void close() {
      stopProducing.set(true);
      stopWorking.set(true);
      threads.shutdown();
      try {
        assertThat(threads.awaitTermination(15, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void whatWasAcceptedBeforeAPlannedFailoverIsThereOnceAfterIt() {
    redis.enqueue("a", "b", "c");
    Claim claim = redis.claimOne();
    awaitReplication();

    sentinel.failover();

    assertThat(redis.settle(new Settlement.Complete(claim, Payload.absent())))
        .isEqualTo(SettleResult.APPLIED);
    assertThat(redis.claim(5)).extracting(Claim::id).containsExactly("b", "c");
  }

  private void awaitReplication() {
    redis.link.call(0, ResendPolicy.SAFE, Command.WAIT, new CommandArgs().add(2).add(5000));
  }

  @Test
  void duringAPlannedFailoverCallersSeeAtMostAnOutageAndThenWorkContinues() {
    try (Traffic traffic = new Traffic()) {
      traffic.goesOn();
      sentinel.failover();
      traffic.goesOn();
      assertThat(traffic.surprises).isEmpty();
    }
  }

  @Test
  void afterThePrimaryWasKilledWorkContinues() {
    EmbeddedRedis killed = sentinel.primary();
    try (Traffic traffic = new Traffic()) {
      traffic.goesOn();
      sentinel.killPrimary();
      traffic.goesOn();
      assertThat(traffic.surprises).isEmpty();
      assertThat(traffic.outages).hasPositiveValue();
    } finally {
      killed.restart();
    }
  }

  @Test
  void cancellationsAreHeardAfterAFailover() {
    List<String> received = new CopyOnWriteArrayList<>();
    try (Subscription subscription = redis.broker.cancellations().subscribe(received::add)) {
      assertThat(subscription).isNotNull();
      sentinel.failover();
      await()
          .until(
              () -> {
                redis.broker.cancellations().publish("a");
                return received.contains("a");
              });
    }
  }

  @Test
  void aPlainConnectionToAReplicaReportsThatItIsOne() {
    // A node that was killed and restarted is no replica until the sentinels have reconfigured it.
    EmbeddedRedis replica =
        sentinel.nodes().stream().filter(SentinelFailoverIT::isReplica).findFirst().orElseThrow();
    RedisConfig config =
        RedisConfig.parse(replica.uri()).toBuilder().retryFor(Duration.ofMillis(50)).build();
    try (CapturedWarnings warnings = new CapturedWarnings();
        RedisConnection connection = RedisConnection.open(config)) {
      assertThat(warnings.lines())
          .anySatisfy(
              line -> assertThat(line).contains("is a replica of 127.0.0.1:", "of the primary"));
      BrokerUnavailableException plain =
          catchThrowableOfType(
              BrokerUnavailableException.class,
              () ->
                  BrokerConnection.brokerOf(connection)
                      .enqueueing()
                      .enqueue(List.of(redis.task("a"))));
      assertThat(plain.mayHaveBeenApplied()).isFalse();
      assertThat(plain).hasMessageContainingAll("READONLY", "this is a replica");
      BrokerUnavailableException script =
          catchThrowableOfType(
              BrokerUnavailableException.class,
              () -> BrokerConnection.brokerOf(connection).presence().seen(broken -> {}));
      assertThat(script.mayHaveBeenApplied()).isFalse();
    }
    try (Connection connection = TestRedis.connect(replica)) {
      assertThat(
              connection.executeCommand(
                  new CommandArguments(Command.EXISTS).add(RedisKeys.task(Q, "a"))))
          .isEqualTo(0L);
    }
  }

  @Test
  void closeLeavesNoThreadAndNoConnectionToTheSentinels() {
    redis.close();
    await().until(() -> watchers() == 0);

    try (RedisCommandExecutor once = BrokerFixture.link(redis.server.config())) {
      assertThat(once.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs())).isNotNull();
      assertThat(watchers()).isEqualTo(1);
    }
    await().until(() -> watchers() == 0);
  }

  private static long watchers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().toLowerCase(Locale.ROOT).contains("sentinel"))
        .count();
  }

  @Test
  void anUnknownPrimaryAndSilentSentinelsAreNamedInTheError() {
    RedisConfig config = redis.server.config().toBuilder().retryFor(Duration.ZERO).build();
    String uri = sentinel.uri().replace("mymaster", "nobody");
    try (RedisConnection unknown = RedisConnection.lazy(RedisConfig.parse(uri));
        RedisConnection silent =
            RedisConnection.lazy(
                config.toBuilder()
                    .sentinel("mymaster", new RedisConfig.Endpoint("127.0.0.1", 1))
                    .build())) {
      assertThat(catchThrowableOfType(BrokerUnavailableException.class, unknown::ping))
          .hasMessageContaining("no sentinel knows a primary called nobody");
      assertThat(catchThrowableOfType(BrokerUnavailableException.class, silent::ping))
          .hasMessageContainingAll("127.0.0.1:1", "refused");
    }
  }

  @Test
  void oneSentinelThatAnswersIsEnough() {
    EmbeddedRedis first = sentinel.sentinelNodes().get(0);
    first.pause();
    try (RedisCommandExecutor link =
        BrokerFixture.link(
            redis.server.config().toBuilder().commandTimeout(Duration.ofMillis(300)).build())) {
      assertThat(link.call(0, ResendPolicy.SAFE, Command.PING, new CommandArgs())).isNotNull();
    } finally {
      first.resume();
    }
  }

  private static boolean isReplica(EmbeddedRedis node) {
    try (Connection connection = TestRedis.connect(node)) {
      return ReplyParser.text(
              connection.executeCommand(new CommandArguments(Command.INFO).add("replication")))
          .contains("role:slave");
    }
  }
}
