package io.asynq4j.internal.server.duty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Upkeep;
import io.asynq4j.internal.broker.Upkeep.Forwarded;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.server.config.ServedQueues;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.SharedQueueWatch;
import io.asynq4j.server.ServerFixture;
import io.asynq4j.server.TaskServerAccess;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How often a forwarder asks Redis. A slow machine makes it ask less often, never more. */
@SuppressWarnings("NullAway.Init") // Set by each test.
class ForwarderIT {

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final List<Long> calls = Collections.synchronizedList(new ArrayList<>());
  private Forwarder forwarder;
  private Thread thread;

  @AfterEach
  void end() throws InterruptedException {
    forwarder.stop();
    thread.join();
  }

  /** A forwarder that finds nothing to move, whatever was due. */
  private void start(Function<Instant, Instant> nextDue) {
    Handler<Task> handler = (task, context) -> Outcome.done();
    ServerConfig config =
        TaskServerAccess.config(
            world.quick(handler).timing(timing -> timing.forwardInterval(Duration.ofHours(1))));
    Broker real = world.broker();
    Upkeep upkeep =
        (Upkeep)
            Proxy.newProxyInstance(
                Upkeep.class.getClassLoader(),
                new Class<?>[] {Upkeep.class},
                (proxy, method, arguments) -> {
                  calls.add(System.nanoTime());
                  return new Forwarded(0, nextDue.apply(real.clock().instant()));
                });
    Broker broker =
        (Broker)
            Proxy.newProxyInstance(
                Broker.class.getClassLoader(),
                new Class<?>[] {Broker.class},
                (proxy, method, arguments) ->
                    method.getName().equals("upkeep") ? upkeep : method.invoke(real, arguments));
    ShardTopology shards =
        new ShardTopology(
            real.watches(),
            new OutageTracker(AttemptHosts.NO_LISTENERS, world.broker().clock()),
            Runnable::run);
    world.enqueue("due", options -> options.processIn(Duration.ofDays(1)));
    forwarder =
        new Forwarder(
            new DutyContext(config, broker, new ServedQueues(config), shards),
            new SharedQueueWatch(real.watches()));
    thread = new Thread(ThreadSupervisor.untilReturned(forwarder), "forwarder-test");
    thread.start();
  }

  private Duration between(int first, int last) {
    await().until(() -> calls.size() > last);
    return Duration.ofNanos(calls.get(last) - calls.get(first));
  }

  @Test
  void aTimeThatHasPassedByAnotherClockIsAskedForOnceAMillisecondAtMost() {
    start(now -> now.minusSeconds(1));

    assertThat(between(0, 50)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
  }

  @Test
  void oneThatAlwaysComesAfterOthersLeavesWhatIsDueToThem() {
    start(now -> now.plusMillis(1));

    // Without rivals, these would take some 40 ms. With 27 and more, 20 waits of up to 54 ms.
    assertThat(between(30, 50)).isGreaterThan(Duration.ofMillis(150));
  }
}
