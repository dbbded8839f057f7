package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.Q;
import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.broker.QueueRules;
import io.asynq4j.broker.TaskSource;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims that are answered late. */
class ShardClaimsTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final SettlerThreads settlerThreads = SettlerThreads.madeBy(Thread::new);
  private final CountDownLatch silence = new CountDownLatch(1);
  private final AtomicBoolean away = new AtomicBoolean();
  private final AtomicInteger settlements = new AtomicInteger();
  private final ServedQueue queue = new ServedQueue(Q, 1, QueueRules.NONE);

  @AfterEach
  void end() {
    silence.countDown();
    away.set(false);
    threads.shutdown();
    settlerThreads.close();
  }

  private TaskSource silent() {
    TaskSource source = world.broker().source();
    return (TaskSource)
        Proxy.newProxyInstance(
            TaskSource.class.getClassLoader(),
            new Class<?>[] {TaskSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("claim")) {
                silence.await();
              } else if (method.getName().equals("settle")) {
                settlements.incrementAndGet();
                if (away.get()) {
                  throw new BrokerUnavailableException("away", false, new Exception());
                }
              }
              return method.invoke(source, arguments);
            });
  }

  @Test
  void whatIsGrantedAfterTheEndIsCountedUntilItIsGivenBack() {
    Handler<Task> handler = (task, context) -> Outcome.done();
    ServerConfig config = world.quick(handler).config();
    Engine engine = new Engine(world.redis, config, handler);
    Shards shards =
        new Shards(
            world.broker().lookout(),
            new Outages(engine.events(), new Vitals(engine.clock())),
            threads);
    TaskSource source = silent();
    Signal signal = new Signal();
    Settler settler =
        new Settler(
            config,
            source,
            new Attempts(),
            shards,
            engine.events(),
            settlerThreads,
            new ReportWriter(source, shards),
            signal,
            any -> {},
            fatal -> {});
    ShardClaims claims = new ShardClaims(shards, source, settler, signal);
    world.enqueueMany("a", 3, options -> options);

    assertThat(claims.claim("s", queue, 3, LEASE)).isNull();
    claims.close();
    away.set(true);
    silence.countDown();

    soon(() -> assertThat(settlements).hasValueGreaterThan(1));
    assertThat(settler.waiting()).isEqualTo(3);
    away.set(false);
    soon(() -> assertThat(settler.waiting()).isZero());
    assertThat(world.ids(Q, TaskState.PENDING)).containsExactly("a0", "a1", "a2");
  }
}
