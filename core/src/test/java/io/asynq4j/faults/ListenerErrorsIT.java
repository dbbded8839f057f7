package io.asynq4j.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.StoreWatch;
import io.asynq4j.internal.broker.StoreWatch.QueuePart;
import io.asynq4j.internal.broker.pubsub.CancellationChannel.Subscription;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Threads that listen to Redis survive an error, such as a short lack of memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListenerErrorsIT {

  private final EmbeddedRedis server = EmbeddedRedis.builder().ephemeral().start();
  private final RedisConnection redis = RedisConnection.open(server.uri());
  private final Broker broker = BrokerConnection.brokerOf(redis);

  @AfterAll
  void stop() {
    redis.close();
    server.close();
  }

  @Test
  void aSubscriptionHearsAgainAfterAnError() {
    AtomicBoolean failed = new AtomicBoolean();
    AtomicInteger received = new AtomicInteger();
    Subscription subscription =
        broker
            .pubSub()
            .subscribe(
                List.of("news"),
                message -> {
                  if (failed.compareAndSet(false, true)) {
                    throw new InternalError("made up");
                  }
                  received.incrementAndGet();
                });
    try {
      await()
          .atMost(ofSeconds(60))
          .until(
              () -> {
                broker.pubSub().publish("news", "any".getBytes(UTF_8));
                return received.get() > 0;
              });
    } finally {
      subscription.close();
    }
  }

  @Test
  void changesAreNotifiedAgainAfterAnError() {
    QueueName queue = QueueName.of("q");
    AtomicBoolean failed = new AtomicBoolean();
    AtomicInteger changes = new AtomicInteger();
    StoreWatch.Listener listener =
        new StoreWatch.Listener() {
          @Override
          public void changed(QueueName changed, QueuePart part) {
            if (failed.compareAndSet(false, true)) {
              throw new InternalError("made up");
            }
            changes.incrementAndGet();
          }

          @Override
          public void lost() {}
        };
    try (StoreWatch.Watch watch = broker.watches().watch(listener)) {
      await()
          .atMost(ofSeconds(60))
          .until(
              () -> {
                watch.arm(List.of(queue), EnumSet.of(QueuePart.PENDING));
                NewTask task =
                    NewTask.of(
                        Task.of("t"), TaskOptions.of(o -> o.queue("q")), Instant.ofEpochSecond(0));
                broker.enqueueing().enqueue(List.of(task));
                return changes.get() > 0;
              });
    }
  }
}
