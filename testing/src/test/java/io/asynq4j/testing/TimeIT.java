package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.ADA;
import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static io.asynq4j.testing.SampleTypes.MAIL;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RateLimit;
import io.asynq4j.TaskState;
import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.client.TaskClient;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskSemaphore;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@AsynqTest
class TimeIT {

  @Test
  void theClockStandsStillUntilItIsMoved(TestQueues tasks, Clock clock, RedisConnection redis) {
    Instant start = tasks.now();

    tasks.advance(ofDays(1));

    assertThat(tasks.now()).isEqualTo(start.plus(ofDays(1)));
    assertThat(clock.instant()).isEqualTo(tasks.now());
    assertThat(redis.clock().instant()).isEqualTo(tasks.now());
    redis.ping();
    assertThat(redis.clock().instant()).isEqualTo(tasks.now());
  }

  @Test
  void aTaskIsPendingAtItsTimeAndNotBefore(TaskClient client, TestQueues tasks) {
    client.enqueue(MAIL, ADA, o -> o.processIn(ofHours(24)));

    tasks.advance(ofHours(24).minusSeconds(1));
    tasks.assertEnqueued(MAIL).inState(TaskState.SCHEDULED).dueIn(ofSeconds(1)).once();
    tasks.advance(ofSeconds(1));
    tasks.assertEnqueued(MAIL).dueNow().once();
  }

  @Test
  void aUniqueLockEndsAtItsTime(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, 1, o -> o.uniqueFor(ofMinutes(10))).orThrow();
    tasks.handlers((task, context) -> Outcome.snooze(ofDays(1)));
    tasks.drain();

    tasks.advance(ofMinutes(10).minusSeconds(1));
    assertThatThrownBy(() -> client.enqueue(INVOICE, 1, o -> o.uniqueFor(ofMinutes(10))).orThrow())
        .isInstanceOf(DuplicateTaskException.class);
    tasks.advance(ofSeconds(1));
    assertThatCode(() -> client.enqueue(INVOICE, 1, o -> o.uniqueFor(ofMinutes(10))).orThrow())
        .doesNotThrowAnyException();
  }

  @Test
  void theLockOfAChangedTaskEndsAtItsTimeToo(
      TaskClient client, Inspector inspector, TestQueues tasks) {
    client.enqueue(INVOICE, 1, o -> o.id("i1").processIn(ofDays(1)).uniqueFor(ofHours(1)));
    inspector.queue("default").updatePayload("i1", Payload.ofUtf8("2"));

    tasks.advance(ofDays(1).plusMinutes(59));
    assertThatThrownBy(() -> client.enqueue(INVOICE, 2, o -> o.uniqueFor(ofHours(1))).orThrow())
        .isInstanceOf(DuplicateTaskException.class);
    tasks.advance(ofMinutes(1));
    client.enqueue(INVOICE, 2, o -> o.uniqueFor(ofHours(1))).orThrow();
  }

  @Test
  void aRateLimitRefillsWithTheTime(TaskClient client, TestQueues tasks) {
    List<Integer> ran = new ArrayList<>();
    tasks
        .handlers(Mux.builder().run(INVOICE, (n, context) -> ran.add(n)).build())
        .server(
            s -> s.queue("default", q -> q.rateLimit(RateLimit.of(2, ofMinutes(1)).withBurst(2))));
    IntStream.rangeClosed(1, 5).forEach(n -> client.enqueue(INVOICE, n));

    DrainReport report = tasks.drain();

    assertThat(ran).containsExactly(1, 2);
    assertThat(report.toString())
        .contains("queue default has pending tasks that cannot be claimed: a rate limit");
    tasks.advance(ofSeconds(30)).drain();
    assertThat(ran).containsExactly(1, 2, 3);
    tasks.drain().advancing(ofHours(1));
    assertThat(ran).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aTokenOfASemaphoreEndsWithTheDeadline(
      TaskClient client, RedisConnection redis, TestQueues tasks) {
    TaskSemaphore semaphore = TaskSemaphore.create(redis, "api", 1);
    List<Boolean> acquired = new ArrayList<>();
    tasks.handlers(
        Mux.builder()
            .run(INVOICE, (n, context) -> acquired.add(semaphore.tryAcquire(context)))
            .build());

    tasks.perform(INVOICE, 1, a -> a.id("a").timeout(ofMinutes(1)));
    tasks.perform(INVOICE, 2, a -> a.id("b"));
    tasks.advance(ofMinutes(2));
    tasks.perform(INVOICE, 3, a -> a.id("c"));

    assertThat(acquired).containsExactly(true, false, true);
  }

  @Test
  void theLeaseOfACrashedWorkerEndsAndTheTaskRunsAgain(TaskClient client, TestQueues tasks) {
    List<String> recovered = new ArrayList<>();
    tasks
        .handlers((task, context) -> Outcome.done())
        .server(
            s ->
                s.listener(
                    new ServerListener() {
                      @Override
                      public void recovered(QueueName queue, String id, String action) {
                        recovered.add(id + " " + action);
                      }
                    }));
    client.enqueue(INVOICE, 1, o -> o.id("i1"));
    tasks.failNext(Fault.AFTER_CLAIM, 2);

    tasks.drain();
    tasks.refuteEnqueued(INVOICE);
    tasks.advance(ofSeconds(14)).refuteEnqueued(INVOICE);
    tasks
        .advance(ofSeconds(2))
        .assertEnqueued(INVOICE)
        .dueNow()
        .where("crashed", t -> t.crashes() == 1);
    // The second crash costs a delay of 30 s, which begins when the lease ends.
    DrainReport report = tasks.drain().advancing(ofHours(1));

    assertThat(report.attempts())
        .extracting(DrainedAttempt::fault)
        .containsExactly(Fault.AFTER_CLAIM, null);
    assertThat(report.attempts().get(1).succeeded()).isTrue();
    assertThat(recovered).containsExactly("i1 pending", "i1 retry");
    tasks.refuteAnyEnqueued();
  }

  @Test
  void scheduleEntriesFireAtEachOfTheirInstants(RedisConnection redis, TestQueues tasks) {
    ZoneId oslo = ZoneId.of("Europe/Oslo");
    tasks.at(LocalDate.of(2031, 3, 1).atStartOfDay(oslo).toInstant());
    Scheduler scheduler =
        Scheduler.builder(redis)
            .add("nightly", Schedule.cron("0 3 * * *", oslo), CLEANUP)
            .add("hourly", Schedule.every(ofHours(1)), INVOICE, 7)
            .build();
    tasks.scheduler(scheduler);

    tasks.advance(ofDays(3));

    tasks.assertEnqueued(CLEANUP).times(3);
    tasks.assertEnqueued(INVOICE).times(72);
    assertThat(tasks.assertEnqueued(CLEANUP).tasks())
        .extracting(task -> Objects.requireNonNull(task.since()).atZone(oslo).getHour())
        .containsOnly(3);
  }

  @Test
  void aPausedEntryDoesNotFire(RedisConnection redis, Inspector inspector, TestQueues tasks) {
    tasks.scheduler(
        Scheduler.builder(redis).add("hourly", Schedule.every(ofHours(1)), CLEANUP).build());
    inspector.pauseSchedule("hourly");

    tasks.advance(ofHours(5)).refuteEnqueued(CLEANUP);
    inspector.resumeSchedule("hourly");
    tasks.advance(ofHours(2)).assertEnqueued(CLEANUP).times(2);
  }

  @Test
  void aStartedSchedulerIsRefused(RedisConnection redis, TestQueues tasks) {
    try (Scheduler scheduler =
        Scheduler.builder(redis).add("hourly", Schedule.every(ofHours(1)), CLEANUP).build()) {
      scheduler.start();

      assertThatThrownBy(() -> tasks.scheduler(scheduler))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the scheduler was started, so its own threads fire its entries; build one without starting it");
    }
  }

  @Test
  void theClockCanBeSetBackOnlyWhileRedisIsEmpty(TaskClient client, TestQueues tasks) {
    Instant past = Instant.parse("2001-02-03T04:05:06Z");
    tasks.at(past);
    client.enqueue(INVOICE, 1, o -> o.uniqueFor(ofHours(1)));

    assertThat(tasks.now()).isEqualTo(past);
    tasks.assertEnqueued(INVOICE).unique().once();
    assertThatThrownBy(() -> tasks.at(past.minusSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the clock cannot be set back from 2001-02-03T04:05:06Z to 2001-02-03T04:05:05Z, because Redis has data already: set it before anything is enqueued, or move it forward");
    assertThatThrownBy(() -> tasks.advance(ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the duration must not be negative, got PT-1S: time only moves forward");
  }

  @Test
  void statisticsOfPastDaysAreKept(TaskClient client, TestQueues tasks, Inspector inspector) {
    tasks.at(Instant.parse("2001-02-03T04:05:06Z"));
    client.enqueue(INVOICE, 1);
    tasks.handlers((task, context) -> Outcome.done()).drain();

    tasks.advance(ofDays(2));

    assertThat(inspector.queue("default").history(3, ZoneOffset.UTC))
        .extracting(day -> day.processed())
        .containsExactly(0L, 0L, 1L);
  }

  @Test
  void aServerBesideTheTestRunsTasksWhenTheyAreDue(
      TaskClient client, RedisConnection redis, TestQueues tasks) throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    Mux handlers = Mux.builder().run(INVOICE, (n, context) -> ran.countDown()).build();
    try (TaskServer server = TaskServer.start(redis, handlers)) {
      assertThat(server.queues()).containsKey("default");
      client.enqueue(INVOICE, 1, o -> o.processIn(ofDays(7)));

      tasks.advance(ofDays(7));

      ran.await();
    }
  }

  @Test
  void theClockDoesNotMoveWhileAServerRunsATask(
      TaskClient client, RedisConnection redis, Inspector inspector, TestQueues tasks)
      throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Mux handlers =
        Mux.builder()
            .run(
                INVOICE,
                (n, context) -> {
                  started.countDown();
                  end.await();
                })
            .build();
    try (TaskServer server =
        TaskServer.builder(redis)
            .handlers(handlers)
            .timing(t -> t.heartbeat(java.time.Duration.ofMillis(500)))
            .build()) {
      server.start();
      client.enqueue(INVOICE, 1, o -> o.id("i1"));
      started.await();
      while (inspector.servers().stream().allMatch(s -> s.workers().isEmpty())) {
        Thread.onSpinWait();
      }

      assertThatThrownBy(() -> tasks.advance(ofDays(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll(
              "the clock cannot be moved to ",
              "runs task i1, whose lease would expire: wait until the task has ended, or process tasks with drain()");
      end.countDown();
    }
  }

  @Test
  void theClockStaysInTheRangeOfTheScripts(TaskClient client, TestQueues tasks) {
    tasks.handlers((task, context) -> Outcome.retry("busy", ofHours(1)));
    tasks.at(Instant.parse("1971-01-01T00:00:00Z"));
    client.enqueue(INVOICE, 1);
    tasks.drain();
    tasks.assertEnqueued(INVOICE).dueIn(ofHours(1)).once();
    tasks.at(Instant.parse("2099-12-31T00:00:00Z"));
    tasks.drain();
    tasks.assertEnqueued(INVOICE).dueIn(ofHours(1)).once();

    assertThatThrownBy(() -> tasks.advance(ofDays(365)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the clock cannot be set to 2100-12-31T00:00:00Z: it must be from 1971-01-01T00:00:00Z to 2100-01-01T00:00:00Z, since Redis computes with numbers of limited precision");
    assertThatThrownBy(() -> tasks.at(Instant.MIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the clock cannot be set to ");
    assertThatThrownBy(() -> tasks.advance(ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(": the latest time is 2100-01-01T00:00:00Z");
  }
}
