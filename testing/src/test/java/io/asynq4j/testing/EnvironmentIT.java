package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The environment without the extension of JUnit. */
class EnvironmentIT {

  @Test
  void anEnvironmentWorksWithoutJUnit() {
    Instant start = Instant.parse("2031-01-02T03:04:05Z");
    try (AsynqTestEnvironment asynq =
        AsynqTestEnvironment.builder()
            .handlers(Mux.builder().run(CLEANUP, (none, context) -> {}).build())
            .startingAt(start)
            .start()) {
      asynq.client().enqueue(CLEANUP);
      asynq.tasks().drain().assertSucceeded();
      asynq.tasks().advance(Duration.ofDays(1));
      asynq.client().enqueue(INVOICE, 1);

      asynq.reset();

      assertThat(asynq.clock().instant()).isEqualTo(start);
      assertThat(asynq.inspector().queues()).isEmpty();
      asynq.tasks().refuteAnyEnqueued();
      // The connection registers queues again, although it did so before.
      asynq.client().enqueue(CLEANUP);
      assertThat(asynq.inspector().queues()).containsExactly("default");
    }
  }

  @Test
  void aClosedEnvironmentLeavesItsProcessToTheNext() {
    String uri;
    try (AsynqTestEnvironment first = AsynqTestEnvironment.start()) {
      uri = first.redisUri();
      first.client().enqueue(CLEANUP);
    }
    try (AsynqTestEnvironment second = AsynqTestEnvironment.start();
        AsynqTestEnvironment third = AsynqTestEnvironment.start()) {
      assertThat(second.redisUri()).isEqualTo(uri);
      assertThat(third.redisUri()).isNotEqualTo(uri);
      second.tasks().refuteAnyEnqueued();
    }
  }

  @Test
  void tasksThatAnotherConnectionEnqueuesAreSeenToo() {
    try (AsynqTestEnvironment asynq = AsynqTestEnvironment.start();
        RedisConnection other = RedisConnection.open(asynq.redisUri())) {
      io.asynq4j.client.TaskClient client = io.asynq4j.client.TaskClient.create(other);
      client.enqueue(INVOICE, 1, o -> o.queue("foreign"));
      asynq.reset();
      client.enqueue(INVOICE, 2, o -> o.queue("foreign"));

      asynq.tasks().assertEnqueued(INVOICE).inQueue("foreign").with(n -> n == 2).once();
    }
  }
}
