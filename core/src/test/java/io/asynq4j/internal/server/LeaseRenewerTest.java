package io.asynq4j.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.fixture.AttemptHosts;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.shard.OutageTracker;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.server.shard.StubStoreWatch;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.ServerState;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerAccess;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A renewer whose calls always fail. */
class LeaseRenewerTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final Handler<Task> handler = (task, context) -> Outcome.done();
  private final ServerConfig config =
      TaskServerAccess.config(
          TaskServer.builder(redis)
              .handlers(handler)
              .timing(
                  timing -> timing.lease(Duration.ofSeconds(3)).heartbeat(Duration.ofMillis(500))));
  private final OutageTracker outages =
      new OutageTracker(AttemptHosts.NO_LISTENERS, BrokerConnection.brokerOf(redis).clock());
  private final AttemptRegistry attempts = new AttemptRegistry();
  private final AtomicInteger beats = new AtomicInteger();
  private final List<LinkageError> fatal = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    redis.close();
  }

  /** In a cluster, leases are extended on another thread than that of the heartbeat. */
  @Test
  void codeThatCannotBeLinkedToExtendLeasesIsReportedAsFatalInAClusterToo() throws Exception {
    attempts.add(attempt());
    ExecutorService threads = Executors.newCachedThreadPool();
    LeaseRenewer keeper =
        new LeaseRenewer(
            config,
            unableToExtend(),
            attempts,
            new ShardTopology(new StubStoreWatch(queue -> "shard of " + queue), outages, threads),
            () -> {},
            presence(),
            fatal::add);
    Thread thread = new Thread(keeper);
    try {
      thread.start();
      await().until(() -> !fatal.isEmpty());

      assertThat(fatal.get(0)).hasMessageContaining("on purpose");
    } finally {
      keeper.stop();
      thread.join();
      threads.shutdownNow();
    }
  }

  private Attempt attempt() {
    Instant now = Instant.now();
    NewTask task = NewTask.of(Task.of("t"), TaskOptions.of(o -> o), now);
    Claim claim = new Claim(task.message(), "token", now.plusSeconds(15));
    return new Attempt(
        1,
        claim,
        AttemptHosts.of(
            config,
            handler,
            BrokerConnection.brokerOf(redis).leases(),
            BrokerConnection.brokerOf(redis).clock(),
            new AttemptHosts.IgnoringSink()));
  }

  private Broker unableToExtend() {
    LeaseOperations source =
        (LeaseOperations)
            Proxy.newProxyInstance(
                LeaseOperations.class.getClassLoader(),
                new Class<?>[] {LeaseOperations.class},
                (proxy, method, arguments) -> {
                  throw new NoSuchMethodError("of another version, on purpose");
                });
    return (Broker)
        Proxy.newProxyInstance(
            Broker.class.getClassLoader(),
            new Class<?>[] {Broker.class},
            (proxy, method, arguments) ->
                method.getName().equals("leases")
                    ? source
                    : method.invoke(BrokerConnection.brokerOf(redis), arguments));
  }

  private ServerPresence presence() {
    return new ServerPresence(
        BrokerConnection.brokerOf(redis).presence(),
        attempts,
        () ->
            new Presence.Server(
                "host", 1, "id", 1, Map.of(), false, "active", null, 0, Duration.ofSeconds(1)),
        Duration.ofSeconds(1));
  }

  @Test
  void anIncompatibleLibraryIsReportedOnceAsFatal() throws InterruptedException {
    LeaseRenewer keeper =
        new LeaseRenewer(
            config,
            BrokerConnection.brokerOf(redis),
            attempts,
            new ShardTopology(BrokerConnection.brokerOf(redis).watches(), outages, Runnable::run),
            () -> {
              beats.incrementAndGet();
              throw new NoSuchMethodError("of another version, on purpose");
            },
            presence(),
            fatal::add);
    Thread thread = new Thread(keeper);
    try (CapturedLogs logs = new CapturedLogs()) {
      thread.start();
      await().until(() -> beats.get() > 2);

      assertThat(fatal).hasSize(1);
      assertThat(logs.linesWith("heartbeat failed")).isEmpty();
      // Showing the server fails too, between two of them.
      await()
          .until(
              () ->
                  outages
                      .health(ServerState.ACTIVE, config.lease())
                      .lastError()
                      .filter(failure -> failure.error() instanceof NoSuchMethodError)
                      .isPresent());
    } finally {
      keeper.stop();
      thread.join();
    }
  }
}
