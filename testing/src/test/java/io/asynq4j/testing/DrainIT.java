package io.asynq4j.testing;

import static io.asynq4j.testing.SampleTypes.ADA;
import static io.asynq4j.testing.SampleTypes.CLEANUP;
import static io.asynq4j.testing.SampleTypes.INVOICE;
import static io.asynq4j.testing.SampleTypes.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.client.TaskClient;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.definition.TaskDefinitions;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.GroupAggregator;
import io.asynq4j.server.ServerListener;
import io.asynq4j.server.TaskServer.UnknownNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@AsynqTest
class DrainIT {

  private static final TaskType<Integer> SUM = TaskType.of("sum", Integer.class);

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
  void tasksThatAHandlerEnqueuesIntoOtherQueuesAreLeftToo(TaskClient client, TestQueues tasks) {
    client.enqueue(INVOICE, 1, o -> o.queue("known"));
    tasks.handlers((task, context) -> ranOn(context)).drain();
    tasks.handlers(
        (task, context) -> {
          client.enqueue(INVOICE, 3, o -> o.queue("known"));
          client.enqueue(INVOICE, 4, o -> o.queue("another"));
          return ranOn(context);
        });
    client.enqueue(INVOICE, 2);

    tasks.drain();

    assertThat(ran).containsExactly("known", "default");
    tasks.assertEnqueued(INVOICE).times(2);
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

  @Test
  void theQueueWhoseHeadHasBeenPendingLongestIsFirst(TaskClient client, TestQueues tasks) {
    tasks.handlers((task, context) -> ranOn(context));
    client.enqueue(INVOICE, 1, o -> o.queue("z"));
    tasks.advance(Duration.ofSeconds(1));
    client.enqueue(INVOICE, 2, o -> o.queue("b"));
    client.enqueue(INVOICE, 3, o -> o.queue("a"));
    client.enqueue(INVOICE, 4, o -> o.queue("z"));

    tasks.drain();

    assertThat(ran).containsExactly("z", "a", "b", "z");
  }

  private Outcome ranOn(TaskContext context) {
    ran.add(context.queue().value());
    return Outcome.done();
  }

  @Test
  void onlyTheGivenQueuesAreProcessed(TaskClient client, TestQueues tasks) {
    tasks.handlers((task, context) -> ranOn(context));
    client.enqueue(INVOICE, 1, o -> o.queue("a"));
    client.enqueue(INVOICE, 2, o -> o.queue("b"));

    tasks.drain("b");

    assertThat(ran).containsExactly("b");
    tasks.assertEnqueued(INVOICE).inQueue("a").once();
  }

  @Test
  void pausedQueuesAreLeftAndReported(TaskClient client, Inspector inspector, TestQueues tasks) {
    tasks.handlers((task, context) -> ranOn(context));
    client.enqueue(INVOICE, 1);
    inspector.queue("default").pause();

    DrainReport report = tasks.drain();

    assertThat(report.size()).isZero();
    assertThatThrownBy(report::assertSucceeded)
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "No task was pending.\n0 attempts:\nqueue default has pending tasks that cannot be claimed: it is paused");
  }

  @Test
  void aFailedTaskHoldsAnOrderedQueue(TaskClient client, TestQueues tasks) {
    tasks
        .handlers(
            (task, context) -> {
              ran.add(context.id());
              return context.retryCount() == 0 && context.id().equals("first")
                  ? Outcome.retry("busy", Duration.ofMinutes(1))
                  : Outcome.done();
            })
        .server(s -> s.queue("default", q -> q.ordered()));
    client.enqueue(INVOICE, 1, o -> o.id("first"));
    client.enqueue(INVOICE, 2, o -> o.id("second"));

    tasks.drain();

    assertThat(ran).containsExactly("first");
    tasks.advance(Duration.ofMinutes(1)).drain();
    assertThat(ran).containsExactly("first", "first", "second");
  }

  @Test
  void aRequeuedTaskIsLeftForTheNextDrain(TaskClient client, TestQueues tasks) {
    tasks.handlers(
        (task, context) -> {
          ran.add(context.id());
          return Outcome.requeue();
        });
    client.enqueue(INVOICE, 1, o -> o.id("first"));
    client.enqueue(INVOICE, 2, o -> o.id("second"));

    tasks.drain();

    assertThat(ran).containsExactly("first");
    tasks.assertEnqueued(INVOICE).dueNow().times(2);
  }

  @Test
  void tasksRunUntilAConditionHolds(TaskClient client, TestQueues tasks) {
    tasks.handlers((task, context) -> ranOn(context));
    for (int i = 0; i < 5; i++) {
      client.enqueue(INVOICE, i);
    }

    tasks.drainUntil(() -> ran.size() == 2);
    assertThat(ran).hasSize(2);
    tasks.drain().until(() -> ran.size() == 5);
    assertThatThrownBy(() -> tasks.drainUntil(() -> ran.size() == 6))
        .isInstanceOf(AssertionError.class)
        .hasMessage("No task is pending, and the condition does not hold.\n0 attempts:");
  }

  @Test
  void groupsAreAggregatedWhenTheyAreReady(TaskClient client, TestQueues tasks) {
    List<Integer> sums = new ArrayList<>();
    tasks
        .handlers(Mux.builder().run(SUM, (sum, context) -> sums.add(sum)).build())
        .server(
            s ->
                s.groups(
                    g ->
                        g.aggregator(
                                GroupAggregator.of(
                                    INVOICE,
                                    SUM,
                                    all -> all.stream().mapToInt(Integer::intValue).sum()))
                            .grace(Duration.ofMinutes(1))));
    client.enqueue(INVOICE, 1, o -> o.group("g"));
    client.enqueue(INVOICE, 2, o -> o.group("g"));

    tasks.drain();
    assertThat(sums).isEmpty();
    tasks.advance(Duration.ofMinutes(2)).drain().assertSucceeded();

    assertThat(sums).containsExactly(3);
  }

  @Test
  void aFailedAggregatorFailsTheAssertion(TaskClient client, TestQueues tasks) {
    tasks
        .handlers((task, context) -> ranOn(context))
        .server(
            s ->
                s.groups(
                    g ->
                        g.aggregator(
                                (queue, group, members) -> {
                                  throw new IllegalStateException("no template");
                                })
                            .maxSize(1)));
    client.enqueue(INVOICE, 1, o -> o.group("g"));
    client.enqueue(CLEANUP);

    assertThatThrownBy(() -> tasks.drain().assertSucceeded())
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("An aggregator failed.", "no template");
  }

  @Test
  void aFailedAssertionInAHandlerFailsTheDrainAfterTheAttemptWasSettled(
      TaskClient client, TestQueues tasks) {
    tasks.handlers(
        (task, context) -> {
          throw new AssertionError("wrong tenant");
        });
    client.enqueue(INVOICE, 1);

    assertThatThrownBy(tasks::drain).isInstanceOf(AssertionError.class).hasMessage("wrong tenant");
    tasks.assertEnqueued(INVOICE).inState(TaskState.RETRY).retried(1).once();
  }

  @Test
  void listenersAreNotifiedAsByAServer(TaskClient client, TestQueues tasks) {
    tasks
        .handlers((task, context) -> Outcome.done())
        .server(
            s ->
                s.listener(
                    new ServerListener() {
                      @Override
                      public void claimed(QueueName queue, int count) {
                        ran.add("claimed " + count);
                      }

                      @Override
                      public void started(TaskRef task) {
                        ran.add("started");
                      }

                      @Override
                      public void finished(
                          TaskRef task, Outcome outcome, @Nullable Throwable error, Duration took) {
                        ran.add("finished " + outcome.kind());
                      }

                      @Override
                      public void settled(TaskRef task, Outcome outcome, Duration after) {
                        ran.add("settled " + outcome.kind());
                      }
                    }));
    client.enqueue(INVOICE, 1);

    tasks.drain();

    assertThat(ran).containsExactly("claimed 1", "started", "finished DONE", "settled DONE");
  }

  @Test
  void progressAndResultsAreStored(TaskClient client, Inspector inspector, TestQueues tasks) {
    tasks.handlers(
        (task, context) -> {
          context.progress(70, "nearly");
          context.writeResult("draft");
          assertThat(inspector.queue("default").task("i1").result().utf8()).isEqualTo("\"draft\"");
          return Outcome.done();
        });
    client.enqueue(INVOICE, 1, o -> o.id("i1").retention(Duration.ofHours(1)));

    tasks.drain().assertSucceeded();

    tasks
        .assertCompleted(INVOICE)
        .where("the draft", task -> task.result().utf8().equals("\"draft\""))
        .where("progress", task -> task.progress() != null && task.progress().percent() == 70);
  }

  @Test
  void aTaskWithoutAHandlerIsRetriedAsByAServer(TaskClient client, TestQueues tasks) {
    tasks.handlers(Mux.builder().run(CLEANUP, (none, context) -> {}).build());
    client.enqueue(INVOICE, 1);

    DrainReport report = tasks.drain();

    assertThat(report.toString()).contains("RETRY in PT1M: handler not found for task");
    tasks.assertEnqueued(INVOICE).retried(0).dueIn(Duration.ofMinutes(1)).once();
  }

  @Test
  void aTaskThatIsRequeuedWithoutEndIsReported(TaskClient client, TestQueues tasks) {
    tasks.handlers((task, context) -> Outcome.requeue());
    tasks.mostAttempts(30);
    client.enqueue(INVOICE, 1);

    assertThatThrownBy(() -> tasks.drain().recursively())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(
            "30 attempts have not emptied the queues: a handler may enqueue or requeue its own task without end; the last attempt was invoice");
  }

  @Test
  void aTaskThatDisappearsWhileItRunsIsReported(
      TaskClient client, AsynqTestEnvironment asynq, TestQueues tasks) {
    tasks.handlers(
        (task, context) -> {
          asynq.reset();
          return Outcome.done();
        });
    client.enqueue(INVOICE, 1, o -> o.id("i1"));

    assertThatThrownBy(tasks::drain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "task i1 of queue default was not settled, because its lease is lost: the clock was moved, or Redis was emptied, while its handler ran");
  }

  @Test
  void errorsThatAreNoFailuresUseUpNoRetry(TaskClient client, TestQueues tasks) {
    tasks
        .handlers(
            (task, context) -> {
              throw new IllegalStateException("the shop is closed");
            })
        .server(
            s ->
                s.retryPolicy(RetryPolicy.fixed(Duration.ofMinutes(2)))
                    .failures(f -> f.isFailure(e -> !(e instanceof IllegalStateException))));
    client.enqueue(INVOICE, 1, o -> o.maxRetry(0));

    tasks.drain();

    tasks.assertEnqueued(INVOICE).retried(0).dueIn(Duration.ofMinutes(2)).once();
  }

  @Test
  void centralDefinitionsApplyAsToAServer(
      TaskClient client, RedisConnection redis, TestQueues tasks) {
    TaskDefinitions.of(redis)
        .put(
            TaskDefinition.builder("cleanup", TaskDefinition.TaskKind.WORKER)
                .queue("upkeep")
                .backoff(Duration.ofMinutes(7))
                .build());
    tasks.server(
        s ->
            s.fromDefinitions(
                List.of(),
                Map.of("cleanup", (task, context) -> Outcome.retry("busy")),
                UnknownNames.REFUSE));
    client.enqueue(CLEANUP.with(o -> o.queue("upkeep")));

    tasks.drain();

    tasks.assertEnqueued(CLEANUP).dueBetween(Duration.ofMinutes(4), Duration.ofMinutes(11)).once();
  }

  @Test
  void handlersWithoutADefinitionAreRefusedAsByAServer(TestQueues tasks) {
    tasks.server(
        s ->
            s.fromDefinitions(
                List.of(),
                Map.of("cleanup", (task, context) -> Outcome.done()),
                UnknownNames.REFUSE));

    assertThatThrownBy(tasks::drain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("handlers without a task definition in Redis: [cleanup]");
  }

  @Test
  void aFailedAssertionInAnAggregatorFailsTheTest(TaskClient client, TestQueues tasks) {
    tasks
        .handlers((task, context) -> Outcome.done())
        .server(
            s ->
                s.groups(
                    g ->
                        g.aggregator(
                                (queue, group, members) -> {
                                  throw new AssertionError("3 members expected");
                                })
                            .grace(Duration.ofMinutes(1))));
    client.enqueue(INVOICE, 1, o -> o.group("g"));
    tasks.advance(Duration.ofMinutes(2));

    assertThatThrownBy(() -> tasks.drain())
        .isInstanceOf(AssertionError.class)
        .hasMessage("3 members expected");
    tasks.assertEnqueued(INVOICE).inGroup("g").once();
  }

  @Test
  void groupsThatBecomeReadyAreAggregatedWhileTheClockMoves(TaskClient client, TestQueues tasks) {
    List<Integer> sums = new ArrayList<>();
    tasks
        .handlers(Mux.builder().run(SUM, (sum, context) -> sums.add(sum)).build())
        .server(
            s ->
                s.groups(
                    g ->
                        g.aggregator(
                                GroupAggregator.of(
                                    INVOICE,
                                    SUM,
                                    all -> all.stream().mapToInt(Integer::intValue).sum()))
                            .grace(Duration.ofMinutes(10))
                            .maxDelay(Duration.ofMinutes(12))));
    Instant start = tasks.now();
    client.enqueue(INVOICE, 1, o -> o.group("quiet"));
    client.enqueue(INVOICE, 2, o -> o.group("overdue"));
    tasks.advance(Duration.ofMinutes(5));
    client.enqueue(INVOICE, 3, o -> o.group("overdue"));

    DrainReport report = tasks.drain().advancing(Duration.ofDays(1));

    assertThat(sums).containsExactly(1, 5);
    assertThat(report.attempts())
        .extracting(DrainedAttempt::at)
        .containsExactly(start.plus(Duration.ofMinutes(10)), start.plus(Duration.ofMinutes(12)));
  }

  @Test
  void aDrainIsNotAdvancedByANegativeTime(TestQueues tasks) {
    tasks.handlers((task, context) -> Outcome.done());

    assertThatThrownBy(() -> tasks.drain().advancing(Duration.ofSeconds(-5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the duration must not be negative, got PT-5S: time only moves forward");
    tasks.drain().advancing(Duration.ofSeconds(Long.MAX_VALUE));
  }

  @Test
  void aQueueMayHaveAnyName(TaskClient client, TestQueues tasks, Inspector inspector) {
    tasks.handlers((task, context) -> ranOn(context));
    client.enqueue(INVOICE, 1, o -> o.queue("a}:b"));
    client.enqueue(INVOICE, 2, o -> o.queue("c {d} 😀"));

    tasks.assertEnqueued(INVOICE).times(2);
    tasks.drain();

    assertThat(ran).containsExactlyInAnyOrder("a}:b", "c {d} 😀");
    assertThat(inspector.queues()).containsExactlyInAnyOrder("a}:b", "c {d} 😀");
  }

  @Test
  void aLongReportListsItsBeginningItsEndAndTheFirstFailure(TaskClient client, TestQueues tasks) {
    tasks.handlers(
        (task, context) ->
            context.id().equals("i50") ? Outcome.archive("no paper") : Outcome.done());
    for (int i = 1; i <= 100; i++) {
      String id = "i" + i;
      client.enqueue(INVOICE, i, o -> o.id(id));
    }

    DrainReport report = tasks.drain();

    assertThat(report.toString().lines()).hasSize(62);
    assertThat(report.toString())
        .contains(
            "  30. invoice i30 ", "\n  … 40 more\n  71. invoice i71 ", "  100. invoice i100 ");
    assertThatThrownBy(report::assertSucceeded)
        .hasMessageStartingWith(
            "Attempts failed or crashed, first invoice i50 (queue default, attempt 1 of 26): ARCHIVE: no paper.\n100 attempts:\n  1. invoice i1 ");
  }

  @Test
  void aFailedAssertionOnAnotherThreadFailsTheTestIfTheHandlerWaitsForIt(
      TaskClient client, TestQueues tasks) {
    tasks.handlers(
        (task, context) -> {
          CompletableFuture.runAsync(
                  () -> {
                    throw new AssertionError("wrong tenant");
                  })
              .join();
          return Outcome.done();
        });
    client.enqueue(INVOICE, 1);

    assertThatThrownBy(() -> tasks.drain())
        .isInstanceOf(AssertionError.class)
        .hasMessage("wrong tenant");
    assertThatThrownBy(() -> tasks.perform(INVOICE, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessage("wrong tenant");
    tasks.assertEnqueued(INVOICE).retried(1).once();
  }
}
