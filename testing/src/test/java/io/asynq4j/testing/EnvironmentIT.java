package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
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
  void aClosedEnvironmentIsRefused() {
    AsynqTestEnvironment closed = AsynqTestEnvironment.start();
    TestQueues tasks = closed.tasks();
    closed.close();

    assertThatThrownBy(() -> tasks.assertEnqueued(CLEANUP))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "the environment of these queues is closed: use the parameters of the running test, or start a new environment");
    assertThatThrownBy(() -> tasks.advance(Duration.ofDays(1)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(tasks::drain).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(closed::reset)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the environment is closed: start a new one");
    closed.close();
  }

  @Test
  void handlersThatAreSetTwiceAreRefused() {
    try (AsynqTestEnvironment asynq =
        AsynqTestEnvironment.builder()
            .handlers((task, context) -> Outcome.done())
            .server(s -> s.handlers((task, context) -> Outcome.drop()))
            .start()) {
      assertThatThrownBy(() -> asynq.tasks().drain())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("handlers are set already: add all of them in one call");
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

  @Test
  void theLocksOfAnotherConnectionEndWhenTheClockIsMoved() {
    try (AsynqTestEnvironment asynq = AsynqTestEnvironment.start();
        RedisConnection other = RedisConnection.open(asynq.redisUri())) {
      io.asynq4j.client.TaskClient client = io.asynq4j.client.TaskClient.create(other);
      client.enqueue(INVOICE, 1, o -> o.uniqueFor(java.time.Duration.ofHours(1))).orThrow();

      asynq.tasks().advance(java.time.Duration.ofHours(2));

      client.enqueue(INVOICE, 1, o -> o.uniqueFor(java.time.Duration.ofHours(1))).orThrow();
      asynq.tasks().assertEnqueued(INVOICE).times(2);
    }
  }
}
