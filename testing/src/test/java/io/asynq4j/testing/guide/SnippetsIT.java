package io.asynq4j.testing.guide;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import io.asynq4j.testing.AsynqExtension;
import io.asynq4j.testing.AsynqTestEnvironment;
import io.asynq4j.testing.AttemptResult;
import io.asynq4j.testing.DrainReport;
import io.asynq4j.testing.Fault;
import io.asynq4j.testing.TestQueues;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SnippetsIT {

  record Invoice(int customer, int amount) {}

  static final TaskType<Invoice> INVOICE =
      TaskType.of("invoice", Invoice.class).with(o -> o.maxRetry(5));
  static final TaskType<Void> CLEANUP = TaskType.of("cleanup");
  static final List<Invoice> PAID = new ArrayList<>();
  static final Mux HANDLERS =
      Mux.builder()
          .run(CLEANUP, (none, context) -> {})
          .handle(
              INVOICE,
              (invoice, context) -> {
                if (context.cancelled().isPresent()) {
                  return Outcome.retry("cancelled");
                }
                if (invoice.amount() < 0) {
                  throw new IllegalArgumentException("negative amount");
                }
                PAID.add(invoice);
                return Outcome.done();
              })
          .build();

  @RegisterExtension
  static final AsynqExtension asynq =
      AsynqExtension.create()
          .handlers(HANDLERS)
          .server(server -> server.retryPolicy(RetryPolicy.fixed(ofMinutes(1))));

  @Test
  void assertions(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, new Invoice(7, 100), o -> o.header("tenant", "acme"));

    Invoice invoice =
        tasks.assertEnqueued(INVOICE).withHeader("tenant", "acme").maxRetry(5).dueNow().payload();
    assertThat(invoice.amount()).isEqualTo(100);
    tasks.refuteEnqueued(CLEANUP);
    tasks.refuteEnqueued(INVOICE, other -> other.customer() == 8);
  }

  @Test
  void perform(TestQueues tasks) {
    assertThat(tasks.perform(INVOICE, new Invoice(7, 100))).isEqualTo(Outcome.done());

    // The retry policy of the server decides, and the last attempt is archived.
    Outcome failed = tasks.perform(INVOICE, new Invoice(7, -1));
    assertThat(failed)
        .isEqualTo(
            Outcome.retry(
                "java.lang.IllegalArgumentException: negative amount", Duration.ofMinutes(1)));
    AttemptResult last = tasks.attempt(INVOICE, new Invoice(7, -1), a -> a.retried(5));
    assertThat(last.outcome().kind()).isEqualTo(Outcome.Kind.ARCHIVE);
    assertThat(last.error()).containsInstanceOf(IllegalArgumentException.class);

    Outcome cancelled =
        tasks.perform(INVOICE, new Invoice(7, 100), a -> a.cancelled(CancelReason.REQUESTED));
    assertThat(cancelled.kind()).isEqualTo(Outcome.Kind.RETRY);
  }

  @Test
  void drain(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, new Invoice(7, -1));
    client.enqueue(INVOICE, new Invoice(8, 100));

    DrainReport report = tasks.drain();

    assertThat(report.attempts())
        .extracting(attempt -> attempt.succeeded())
        .containsExactly(false, true);
    // Runs the retries too: the clock moves to each.
    report.advancing(ofDays(1));
    tasks.assertArchived(INVOICE).with(invoice -> invoice.customer() == 7).retried(5).once();
  }

  @Test
  void time(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, new Invoice(7, 100), o -> o.uniqueFor(ofHours(1)));
    assertThat(
            client.enqueue(INVOICE, new Invoice(7, 100), o -> o.uniqueFor(ofHours(1))).isEnqueued())
        .isFalse();

    tasks.advance(ofHours(1));

    assertThat(
            client.enqueue(INVOICE, new Invoice(7, 100), o -> o.uniqueFor(ofHours(1))).isEnqueued())
        .isTrue();
  }

  @Test
  void schedules(RedisConnection redis, TestQueues tasks) {
    ZoneId oslo = ZoneId.of("Europe/Oslo");
    tasks.scheduler(
        Scheduler.builder(redis).add("nightly", Schedule.cron("0 3 * * *", oslo), CLEANUP).build());

    tasks.advance(ofDays(7));

    tasks.assertEnqueued(CLEANUP).times(7);
  }

  @Test
  void faults(TaskClient client, TestQueues tasks) {
    PAID.clear();
    client.enqueue(INVOICE, new Invoice(7, 100));
    tasks.failNext(Fault.BEFORE_SETTLE);

    tasks.drain(); // the handler runs, and its worker crashes
    tasks.advance(ofMinutes(1)); // the lease expires
    tasks.drain().assertSucceeded();

    // The handler ran twice: it must find out that the invoice is paid.
    assertThat(PAID).hasSize(2);
  }

  @Test
  void faultsOfRedis(TaskClient client, TestQueues tasks) {
    tasks.failNext(Fault.REPLY_LOST);

    assertThatThrownBy(() -> client.enqueue(INVOICE, new Invoice(7, 100), o -> o.id("invoice-1")))
        .isInstanceOfSatisfying(
            BrokerUnavailableException.class, e -> assertThat(e.mayHaveBeenApplied()).isTrue());
    // The same ID again: the task is enqueued once.
    assertThat(client.enqueue(INVOICE, new Invoice(7, 100), o -> o.id("invoice-1")).isEnqueued())
        .isFalse();
    tasks.assertEnqueued(INVOICE).once();
  }

  @Test
  void realServer(TaskClient client, RedisConnection redis, TestQueues tasks) throws Exception {
    try (TaskServer server = TaskServer.builder(redis).handlers(HANDLERS).build()) {
      server.start();
      String id =
          client.enqueue(INVOICE, new Invoice(7, 100), o -> o.retention(ofHours(1))).orThrow().id();

      assertThat(client.awaitResult("default", id, Duration.ofSeconds(30))).isPresent();
    }
    tasks.assertCompleted(INVOICE).once();
  }

  @Test
  void withoutJUnit() {
    try (AsynqTestEnvironment environment =
        AsynqTestEnvironment.builder().handlers(HANDLERS).start()) {
      environment.client().enqueue(CLEANUP);

      environment.tasks().drain().assertSucceeded();

      environment.reset(); // before the next test
    }
  }
}
