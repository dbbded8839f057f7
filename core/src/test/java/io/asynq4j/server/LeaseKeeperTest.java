package io.asynq4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.Task;
import io.asynq4j.broker.Presence;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConfig;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A heartbeat that can never work. */
class LeaseKeeperTest {

  private final RedisConnection redis =
      RedisConnection.lazy(RedisConfig.parse("redis://127.0.0.1:1"));
  private final Handler<Task> handler = (task, context) -> Outcome.done();
  private final ServerConfig config =
      TaskServer.builder(redis)
          .handlers(handler)
          .lease(Duration.ofSeconds(3))
          .heartbeat(Duration.ofMillis(500))
          .config();
  private final Vitals vitals = new Vitals(redis.broker().clock());
  private final Attempts attempts = new Attempts();
  private final AtomicInteger beats = new AtomicInteger();
  private final List<LinkageError> fatal = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    redis.close();
  }

  @Test
  void aLibraryThatDoesNotFitIsToldOnceAsFatal() throws InterruptedException {
    LeaseKeeper keeper =
        new LeaseKeeper(
            config,
            redis.broker(),
            attempts,
            new Shards(
                redis.broker().lookout(),
                new Outages(new Events(List.of()), vitals),
                Runnable::run),
            () -> {
              beats.incrementAndGet();
              throw new NoSuchMethodError("of another version, on purpose");
            },
            new ServerPresence(
                redis.broker().presence(),
                attempts,
                () ->
                    new Presence.Server(
                        "host",
                        1,
                        "id",
                        1,
                        Map.of(),
                        false,
                        "active",
                        null,
                        0,
                        Duration.ofSeconds(1)),
                Duration.ofSeconds(1)),
            vitals,
            fatal::add);
    Thread thread = new Thread(keeper);
    try (Logs logs = new Logs()) {
      thread.start();
      await().until(() -> beats.get() > 2);

      assertThat(fatal).hasSize(1);
      assertThat(logs.linesWith("heartbeat failed")).isEmpty();
      // Showing the server fails too, between two of them.
      await()
          .until(
              () ->
                  vitals
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
