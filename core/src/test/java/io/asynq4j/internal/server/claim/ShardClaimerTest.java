package io.asynq4j.internal.server.claim;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.ClaimBatch;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.settle.AttemptReportWriter;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.settle.SettlementContext;
import io.asynq4j.internal.server.settle.SettlementThreadPools;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.TaskServerAccess;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims that are answered late. */
@SuppressWarnings("NullAway.Init") // Set before each test.
class ShardClaimerTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final SettlementThreadPools settlerThreads = new SettlementThreadPools(Thread::new);
  private final Semaphore answers = new Semaphore(0);
  private final AtomicLong patienceNanos = new AtomicLong(1);
  private final AtomicBoolean away = new AtomicBoolean();
  private final AtomicInteger settlements = new AtomicInteger();
  private final QueueClaimState queue = new QueueClaimState(Q, 1, QueueRules.NONE);
  private SettlementBuffer settler;
  private ShardClaimer claims;

  @AfterEach
  void end() {
    answers.release(100);
    away.set(false);
    threads.shutdown();
    settlerThreads.close();
  }

  private LeaseOperations silent() {
    LeaseOperations source = world.broker().leases();
    return (LeaseOperations)
        Proxy.newProxyInstance(
            LeaseOperations.class.getClassLoader(),
            new Class<?>[] {LeaseOperations.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("claim")) {
                answers.acquire();
              } else if (method.getName().equals("settle")) {
                settlements.incrementAndGet();
                if (away.get()) {
                  throw new BrokerUnavailableException("away", false, new Exception());
                }
              }
              return method.invoke(source, arguments);
            });
  }

  @BeforeEach
  void build() {
    Handler<Task> handler = (task, context) -> Outcome.done();
    ServerConfig config = TaskServerAccess.config(world.quick(handler));
    ShardTopology shards =
        new ShardTopology(
            world.broker().watches(),
            new OutageTracker(AttemptHosts.NO_LISTENERS, world.broker().clock()),
            threads);
    LeaseOperations source = silent();
    WakeupSignal signal = new WakeupSignal();
    settler =
        new SettlementBuffer(
            new SettlementContext(
                config,
                source,
                new AttemptRegistry(),
                shards,
                settlerThreads,
                new AttemptReportWriter(source, shards),
                queue -> signal.raise(),
                fatal -> {}));
    claims = new ShardClaimer(shards, source, settler, signal, patienceNanos::get);
  }

  @Test
  void whatIsGrantedAfterTheEndIsCountedUntilItIsGivenBack() {
    world.enqueueMany("a", 3, options -> options);

    assertThat(claims.claim("s", queue, 3, LEASE)).isNull();
    claims.close();
    away.set(true);
    answers.release();

    soon(() -> assertThat(settlements).hasValueGreaterThan(1));
    assertThat(settler.waiting()).isEqualTo(3);
    away.set(false);
    soon(() -> assertThat(settler.waiting()).isZero());
    assertThat(world.ids(Q, TaskState.PENDING)).containsExactly("a0", "a1", "a2");
  }

  @Test
  void noCallerWaitsForAServerWhoseLastReplyWasLate() {
    world.enqueueMany("a", 2, options -> options);
    assertThat(claims.claim("s", queue, 1, LEASE)).isNull();
    answers.release();
    assertThat(awaitAnswer().claims()).hasSize(1);

    // A claim that waited would take an hour.
    patienceNanos.set(TimeUnit.HOURS.toNanos(1));
    assertThat(claims.claim("s", queue, 1, LEASE)).isNull();
    answers.release(2);
    assertThat(awaitAnswer().claims()).hasSize(1);

    assertThat(claims.claim("s", queue, 1, LEASE)).as("after an answer in time").isNotNull();
  }

  private ClaimBatch awaitAnswer() {
    return Objects.requireNonNull(await().until(claims::nextAnswer, Objects::nonNull).batch());
  }
}
