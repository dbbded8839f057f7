package io.asynq4j.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Cancellations.Subscription;
import io.asynq4j.broker.Lookout;
import io.asynq4j.broker.Lookout.Part;
import io.asynq4j.broker.NewTask;
import io.asynq4j.embedded.EmbeddedRedis;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Threads that listen to Redis outlive an error, as when there is no memory for a moment. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListenerErrorsIT {

  private final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final Broker broker = redis.broker();

  @AfterAll
  void stop() {
    redis.close();
    server.close();
  }

  @Test
  void aSubscriptionHearsAgainAfterAnError() {
    AtomicBoolean failed = new AtomicBoolean();
    AtomicInteger heard = new AtomicInteger();
    Subscription subscription =
        broker
            .channels()
            .subscribe(
                List.of("news"),
                message -> {
                  if (failed.compareAndSet(false, true)) {
                    throw new InternalError("made up");
                  }
                  heard.incrementAndGet();
                });
    try {
      await()
          .atMost(ofSeconds(60))
          .until(
              () -> {
                broker.channels().publish("news", "any".getBytes(UTF_8));
                return heard.get() > 0;
              });
    } finally {
      subscription.close();
    }
  }

  @Test
  void changesAreToldOfAgainAfterAnError() {
    QueueName queue = QueueName.of("q");
    AtomicBoolean failed = new AtomicBoolean();
    AtomicInteger changes = new AtomicInteger();
    Lookout.Listener listener =
        new Lookout.Listener() {
          @Override
          public void changed(QueueName changed, Part part) {
            if (failed.compareAndSet(false, true)) {
              throw new InternalError("made up");
            }
            changes.incrementAndGet();
          }

          @Override
          public void lost() {}
        };
    try (Lookout.Watch watch = broker.lookout().watch(listener)) {
      await()
          .atMost(ofSeconds(60))
          .until(
              () -> {
                watch.arm(List.of(queue), EnumSet.of(Part.PENDING));
                NewTask task =
                    NewTask.of(
                        Task.of("t"), TaskOptions.of(o -> o.queue("q")), Instant.ofEpochSecond(0));
                broker.sink().enqueue(List.of(task));
                return changes.get() > 0;
              });
    }
  }
}
