package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.inspect.Inspector;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

@AsynqTest
class FaultsIT {

  @Test
  void anEnqueueWhoseReplyIsLostWasApplied(TaskClient client, TestQueues tasks) {
    tasks.failNext(Fault.REPLY_LOST);

    assertThatThrownBy(() -> client.enqueue(INVOICE, 1))
        .asInstanceOf(InstanceOfAssertFactories.type(BrokerUnavailableException.class))
        .returns(true, BrokerUnavailableException::mayHaveBeenApplied);

    tasks.assertEnqueued(INVOICE).once();
    client.enqueue(INVOICE, 2);
    tasks.assertEnqueued(INVOICE).times(2);
  }

  @Test
  void aScheduledTaskAndAGroupedOneLoseTheirRepliesToo(TaskClient client, TestQueues tasks) {
    tasks.failNext(Fault.REPLY_LOST, 2);

    assertThatThrownBy(() -> client.enqueue(INVOICE, 1, o -> o.processIn(ofHours(1))))
        .isInstanceOf(BrokerUnavailableException.class);
    assertThatThrownBy(() -> client.enqueue(INVOICE, 2, o -> o.group("g")))
        .isInstanceOf(BrokerUnavailableException.class);

    tasks.assertEnqueued(INVOICE).times(2);
  }

  @Test
  void otherCallsKeepTheirReplies(TaskClient client, Inspector inspector, TestQueues tasks) {
    tasks.failNext(Fault.REPLY_LOST);

    assertThat(inspector.queues()).isEmpty();
    assertThat(tasks.pendingFaults()).containsExactly(Fault.REPLY_LOST);
    assertThatThrownBy(() -> client.enqueue(INVOICE, 1))
        .isInstanceOf(BrokerUnavailableException.class);
  }

  @Test
  void aCallThatFindsNoRedisChangesNothing(TaskClient client, TestQueues tasks) {
    tasks.failNext(Fault.REDIS_DOWN, 2);

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> client.enqueue(INVOICE, 1))
          .asInstanceOf(InstanceOfAssertFactories.type(BrokerUnavailableException.class))
          .returns(false, BrokerUnavailableException::mayHaveBeenApplied);
    }

    tasks.refuteAnyEnqueued();
    client.enqueue(INVOICE, 1);
    tasks.assertEnqueued(INVOICE).once();
  }

  @Test
  void aWorkerThatCrashesBeforeItSettlesRunsTheTaskTwice(TaskClient client, TestQueues tasks) {
    List<Integer> ran = new ArrayList<>();
    tasks.handlers(Mux.builder().run(INVOICE, (n, context) -> ran.add(n)).build());
    client.enqueue(INVOICE, 1);
    tasks.failNext(Fault.BEFORE_SETTLE);

    DrainReport report = tasks.drain();

    assertThat(ran).containsExactly(1);
    assertThat(report.toString()).contains("attempt 1 of 26): crashed, BEFORE_SETTLE");
    assertThatThrownBy(report::assertSucceeded)
        .hasMessageStartingWith("Attempts failed or crashed, first ");
    tasks.advance(ofMinutes(1)).drain().assertSucceeded();
    assertThat(ran).containsExactly(1, 1);
  }

  @Test
  void aWorkerThatCrashesAfterTheClaimDoesNotCallTheHandler(TaskClient client, TestQueues tasks) {
    List<String> ran = new ArrayList<>();
    tasks.handlers(Mux.builder().run(CLEANUP, (none, context) -> ran.add(context.id())).build());
    client.enqueue(CLEANUP);
    tasks.failNext(Fault.AFTER_CLAIM);

    tasks.drain();

    assertThat(ran).isEmpty();
    tasks.advance(ofMinutes(1)).drain().assertSucceeded();
    assertThat(ran).hasSize(1);
  }

  @Test
  void theNumberOfFaultsIsChecked(TestQueues tasks) {
    assertThatThrownBy(() -> tasks.failNext(Fault.REDIS_DOWN, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("times must be 1 or greater, got 0");
  }
}
