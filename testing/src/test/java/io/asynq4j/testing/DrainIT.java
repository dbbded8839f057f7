package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.ADA;
import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static io.asynq4j.testing.SampleTypes.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.TaskState;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@AsynqTest
class DrainIT {

  private final List<String> ran = new ArrayList<>();

  @Test
  void tasksRunInTheOrderInWhichTheyBecamePending(TaskClient client, TestQueues tasks) {
    tasks.handlers(Mux.builder().run(INVOICE, (n, context) -> ran.add("invoice " + n)).build());
    client.enqueue(INVOICE, 2, o -> o.processIn(Duration.ofHours(2)));
    client.enqueue(INVOICE, 1, o -> o.processIn(Duration.ofHours(1)));
    client.enqueue(INVOICE, 0);

    tasks.advance(Duration.ofHours(3));
    DrainReport report = tasks.drain().assertSucceeded();

    assertThat(ran).containsExactly("invoice 0", "invoice 1", "invoice 2");
    assertThat(report.size()).isEqualTo(3);
    tasks.refuteAnyEnqueued();
  }

  @Test
  void tasksThatAHandlerEnqueuesRunOnlyRecursively(TaskClient client, TestQueues tasks) {
    tasks.handlers(
        Mux.builder()
            .run(
                INVOICE,
                (n, context) -> {
                  ran.add("invoice " + n);
                  if (n > 0) {
                    client.enqueue(INVOICE, n - 1);
                  }
                })
            .build());
    client.enqueue(INVOICE, 3);

    DrainReport report = tasks.drain();

    assertThat(ran).containsExactly("invoice 3");
    report.recursively();
    assertThat(ran).containsExactly("invoice 3", "invoice 2", "invoice 1", "invoice 0");
    assertThat(report.attempts(INVOICE)).hasSize(4);
  }

  @Test
  void aTaskIsRetriedTwentyFiveTimesOverThreeWeeks(TaskClient client, TestQueues tasks) {
    tasks.handlers(
        Mux.builder()
            .run(
                CLEANUP,
                (none, context) -> {
                  throw new IllegalStateException("disk is full");
                })
            .build());
    Instant start = tasks.now();
    client.enqueue(CLEANUP);

    DrainReport report = tasks.drain().advancing(Duration.ofDays(60));

    assertThat(report.attempts()).hasSize(26);
    assertThat(Duration.between(start, tasks.now()))
        .isBetween(Duration.ofDays(15), Duration.ofDays(30));
    tasks.assertArchived(CLEANUP).retried(25).once();
    assertThat(report.attempts().get(25).outcome()).isInstanceOf(Outcome.Archive.class);
    assertThatThrownBy(report::assertSucceeded)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("disk is full");
  }

  @Test
  void aFailingTaskWaitsForItsRetry(TaskClient client, TestQueues tasks) {
    tasks.handlers(
        Mux.builder()
            .handle(MAIL, (mail, context) -> Outcome.retry("busy", Duration.ofMinutes(5)))
            .build());
    client.enqueue(MAIL, ADA);

    tasks.drain();

    tasks
        .assertEnqueued(MAIL)
        .inState(TaskState.RETRY)
        .retried(1)
        .dueIn(Duration.ofMinutes(5))
        .once();
  }
}
