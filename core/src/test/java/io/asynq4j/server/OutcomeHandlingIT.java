package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskInfo.FailedAttempt;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.fixture.CapturedLogs;
import io.asynq4j.fixture.RecordingServerListener;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import java.lang.reflect.Field;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;
import org.slf4j.helpers.BasicMDCAdapter;
import redis.clients.jedis.Jedis;

/** The state of a task after what its handler returned or threw. */
class OutcomeHandlingIT {

  private static final Duration HOUR = Duration.ofHours(1);

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  private final RecordingServerListener recorder = new RecordingServerListener();

  private void startWith(Handler<Task> handler) {
    world.start(world.quick(handler).listener(recorder));
  }

  /** Processes one task, and returns its state afterwards. */
  private TaskInfo afterOne(Handler<Task> handler, TaskState state) {
    world.enqueue("a", options -> options.retention(HOUR).maxRetry(3));
    startWith(handler);
    world.awaitState("a", state);
    return world.info("a");
  }

  private static RuntimeException deepBelow(RuntimeException bottom) {
    RuntimeException error = bottom;
    for (int depth = 0; depth < 5; depth++) {
      error = new IllegalStateException("at depth " + depth, error);
    }
    return error;
  }

  @Test
  void successKeepsATaskWithItsResultForItsRetention() {
    TaskInfo info = afterOne((task, context) -> Outcome.done(Map.of("n", 1)), TaskState.COMPLETED);

    assertThat(info.result()).isEqualTo(Payload.ofUtf8("{\"n\":1}"));
    assertThat(info.completedAt()).isNotNull();
    assertThat(info.retried()).isZero();
  }

  @Test
  void successWithoutRetentionLeavesNothing() {
    world.enqueue("a");
    world.enqueue("b", options -> options.queue("other"));
    world.start(
        world
            .quick((task, context) -> Outcome.done())
            .listener(recorder)
            .queue("default", 1)
            .queue("other", 1));

    world.awaitGone("a");
    soon(() -> assertThat(world.find(QueueName.of("other"), "b")).isEmpty());
    assertThat(world.queues().snapshot(ServerFixture.Q).processed()).isEqualTo(1);
    assertThat(world.queues().snapshot(ServerFixture.Q).failed()).isZero();
  }

  @Test
  void aFailureWaitsForItsDelayWithItsText() {
    Instant before = world.redis.clock().instant();
    TaskInfo info =
        afterOne(
            (task, context) -> {
              throw new IllegalStateException("no luck");
            },
            TaskState.RETRY);

    assertThat(info.lastError()).isEqualTo("java.lang.IllegalStateException: no luck");
    assertThat(info.retried()).isEqualTo(1);
    assertThat(info.lastFailedAt()).isNotNull();
    assertThat(info.nextProcessAt())
        .isBetween(before.plus(HOUR).minusSeconds(1), before.plus(HOUR).plusSeconds(10));
    assertThat(recorder.lines()).contains("finished a RETRY");
    assertThat(world.queues().snapshot(ServerFixture.Q).failed()).isEqualTo(1);
    List<FailedAttempt> failures = world.tasks().failures(ServerFixture.Q, "a");
    assertThat(failures)
        .extracting(FailedAttempt::error)
        .containsExactly("java.lang.IllegalStateException: no luck");
    assertThat(failures.get(0).trace())
        .startsWith(
            "java.lang.IllegalStateException: no luck\n\tat io.asynq4j.server.OutcomeHandlingIT.")
        .doesNotContain("io.asynq4j.internal.server");
  }

  @Test
  void failuresNeedNotBeKept() {
    world.enqueue("a", options -> options.maxRetry(0));
    world.start(
        world
            .quick(
                (task, context) -> {
                  throw new IllegalStateException("no luck");
                })
            .failures(failures -> failures.keep(false)));

    world.awaitState("a", TaskState.ARCHIVED);
    assertThat(world.tasks().failures(ServerFixture.Q, "a")).isEmpty();
  }

  @Test
  void aFailureIsTriedAgainUntilItsRetriesAreUsedUp() {
    AtomicInteger runs = new AtomicInteger();
    List<Integer> counts = new CopyOnWriteArrayList<>();
    world.enqueue("a", options -> options.maxRetry(2));
    world.start(
        world
            .quick(
                (task, context) -> {
                  counts.add(context.retryCount());
                  throw new IllegalStateException("run " + runs.incrementAndGet());
                })
            .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(10))));

    world.awaitState("a", TaskState.ARCHIVED);
    assertThat(runs).hasValue(3);
    assertThat(counts).containsExactly(0, 1, 2);
    assertThat(world.info("a").lastError()).endsWith("run 3");
    assertThat(world.info("a").retried()).isEqualTo(2);
  }

  @Test
  void aHandlerMaySayWhenToTryAgain() {
    Instant before = world.redis.clock().instant();
    TaskInfo info =
        afterOne((task, context) -> Outcome.retry("busy", Duration.ofMinutes(5)), TaskState.RETRY);

    assertThat(info.lastError()).isEqualTo("busy");
    assertThat(info.retried()).isEqualTo(1);
    assertThat(info.nextProcessAt()).isBetween(before.plusSeconds(299), before.plusSeconds(310));
  }

  @Test
  void aSnoozeCostsNothing() {
    TaskInfo info =
        afterOne((task, context) -> Outcome.snooze(Duration.ofMinutes(5)), TaskState.SCHEDULED);

    assertThat(info.retried()).isZero();
    assertThat(info.lastError()).isEmpty();
    assertThat(world.queues().snapshot(ServerFixture.Q).processed()).isZero();
  }

  @Test
  void aHandlerMayArchiveAtOnce() {
    TaskInfo info =
        afterOne((task, context) -> Outcome.archive("no such user"), TaskState.ARCHIVED);

    assertThat(info.lastError()).isEqualTo("no such user");
    assertThat(info.retried()).isZero();
  }

  @Test
  void aHandlerMayDropItsTaskWhateverItsRetention() {
    world.enqueue("a", options -> options.retention(HOUR));
    startWith((task, context) -> Outcome.drop());

    world.awaitGone("a");
    assertThat(recorder.lines()).contains("finished a DROP");
  }

  @Test
  void aHandlerMayGiveItsTaskBackUnharmed() {
    AtomicInteger attempts = new AtomicInteger();
    world.enqueue("a", options -> options.retention(HOUR).maxRetry(0));
    startWith(
        (task, context) -> attempts.incrementAndGet() < 3 ? Outcome.requeue() : Outcome.done());

    world.awaitState("a", TaskState.COMPLETED);
    assertThat(world.info("a").retried()).isZero();
    assertThat(recorder.lines("finished"))
        .containsExactly("finished a REQUEUE", "finished a REQUEUE", "finished a DONE");
    assertThat(world.queues().snapshot(ServerFixture.Q).processed()).isEqualTo(1);
  }

  @Test
  void anOutcomeThrownDeepBelowCounts() {
    TaskInfo info =
        afterOne(
            (task, context) -> {
              throw deepBelow(Outcome.archive("deep").asException());
            },
            TaskState.ARCHIVED);

    assertThat(info.lastError()).isEqualTo("deep");
  }

  record Mail(int user) {}

  @Test
  void aPayloadThatCannotBeReadIsArchivedAtOnce() {
    world.enqueue(Task.of("mail", Payload.ofUtf8("{{{")), "a");
    startWith(Mux.builder().run(TaskType.of("mail", Mail.class), (mail, context) -> {}).build());

    world.awaitState("a", TaskState.ARCHIVED);
    assertThat(world.info("a").retried()).isZero();
    assertThat(world.info("a").lastError()).contains("PayloadException").contains("3 bytes");
  }

  @Test
  void fixesW46_aTaskWithoutAHandlerWaitsAndPaysNothing() {
    Instant before = world.redis.clock().instant();
    world.enqueue("a", options -> options.maxRetry(0));
    try (CapturedLogs logs = new CapturedLogs()) {
      startWith(Mux.builder().run("other", (task, context) -> {}).build());
      world.awaitState("a", TaskState.RETRY);
      assertThat(logs.lines("WARN"))
          .anySatisfy(line -> assertThat(line).contains("no handler for"));
    }
    assertThat(world.info("a").retried()).isZero();
    assertThat(world.info("a").lastError()).isEqualTo("handler not found for task \"t\"");
    assertThat(world.info("a").nextProcessAt()).isAfter(before.plusSeconds(50));
    assertThat(world.queues().snapshot(ServerFixture.Q).failed()).isZero();
  }

  @Test
  void fixesW56_whatIsNoFailureIsNeverArchivedAndCostsNothing() {
    AtomicInteger runs = new AtomicInteger();
    world.enqueue("a", options -> options.maxRetry(0));
    world.start(
        world
            .quick(
                (task, context) -> {
                  if (runs.incrementAndGet() < 4) {
                    throw new IllegalStateException("not yet");
                  }
                  return Outcome.done();
                })
            .failures(f -> f.isFailure(error -> false))
            .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(10)))
            .listener(recorder));

    world.awaitGone("a");
    assertThat(runs).hasValue(4);
    assertThat(recorder.lines("finished"))
        .containsExactly(
            "finished a RETRY", "finished a RETRY", "finished a RETRY", "finished a DONE");
    assertThat(world.queues().snapshot(ServerFixture.Q).failed()).isZero();
  }

  @Test
  void aHandlerThatReturnsNothingHasFailed() {
    @SuppressWarnings("NullAway")
    TaskInfo info = afterOne((task, context) -> null, TaskState.RETRY);

    assertThat(info.lastError()).contains("no outcome");
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int endless(int depth) {
    return endless(depth + 1) + 1;
  }

  @Test
  void errorsOfAHandlerAreFailuresLikeOthers() {
    for (String id : List.of("stack", "class", "assertion", "fine")) {
      world.enqueue(id, options -> options.retention(HOUR));
    }
    startWith(
        (task, context) -> {
          switch (context.id()) {
            case "stack" -> endless(0);
            case "class" -> throw new NoClassDefFoundError("com/example/Gone");
            case "assertion" -> throw new AssertionError("wrong");
            default -> {}
          }
          return Outcome.done();
        });

    world.awaitState("stack", TaskState.RETRY);
    world.awaitState("class", TaskState.RETRY);
    world.awaitState("assertion", TaskState.RETRY);
    world.awaitState("fine", TaskState.COMPLETED);
    assertThat(world.info("stack").lastError()).contains("StackOverflowError");
    assertThat(world.info("class").lastError()).contains("com/example/Gone");
  }

  @Test
  void fixesW23_nothingThatTheUsersCodeThrowsEndsAWorkerOrLeavesATask() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ids.add("a" + i);
    }
    ids.forEach(world::enqueue);
    ServerListener angry =
        new ServerListener() {
          @Override
          public void claimed(QueueName queue, int count) {
            throw new StackOverflowError();
          }

          @Override
          public void started(TaskRef task) {
            throw new NoClassDefFoundError();
          }

          @Override
          public void finished(
              TaskRef task, Outcome outcome, @Nullable Throwable error, Duration ran) {
            throw new OutOfMemoryError("not really");
          }

          @Override
          public void settled(TaskRef task, Outcome outcome, Duration after) {
            throw sneaky(new Exception("checked"));
          }
        };
    world.start(
        world
            .quick(
                (task, context) -> {
                  throw new IllegalStateException("fails");
                })
            .failures(
                failures ->
                    failures.isFailure(
                        error -> {
                          throw new StackOverflowError();
                        }))
            .retryPolicy(
                (retried, error, task) -> {
                  throw sneaky(new Exception("checked"));
                })
            .timing(
                timing ->
                    timing.healthCheck(
                        Duration.ofMillis(100),
                        error -> {
                          throw new StackOverflowError();
                        }))
            .listener(angry)
            .listener(recorder));

    soon(() -> assertThat(world.count(TaskState.RETRY)).isEqualTo(12));
    soon(() -> assertThat(recorder.lines("settled")).hasSize(12));
    assertThat(world.count(TaskState.ACTIVE)).isZero();
    // The standard delay, in place of the one that could not be had.
    assertThat(world.info("a0").nextProcessAt())
        .isBetween(
            world.redis.clock().instant().plusSeconds(5),
            world.redis.clock().instant().plusSeconds(60));
    world.enqueue("later");
    world.awaitState("later", TaskState.RETRY);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> RuntimeException sneaky(Throwable error) throws E {
    throw (E) error;
  }

  @Test
  void oddDelaysAreReplacedAndHoldUpNoOther() {
    for (String id : List.of("endless", "negative", "missing", "snooze", "fine")) {
      world.enqueue(id, options -> options.retention(HOUR));
    }
    @SuppressWarnings("NullAway")
    RetryPolicy odd =
        (retried, error, task) ->
            switch (String.valueOf(error.getMessage())) {
              case "endless" -> Duration.ofSeconds(Long.MAX_VALUE);
              case "negative" -> Duration.ofSeconds(-1);
              default -> null;
            };
    world.start(
        world
            .quick(
                (task, context) -> {
                  if (context.id().equals("fine")) {
                    return Outcome.done();
                  } else if (context.id().equals("snooze")) {
                    return Outcome.snooze(Duration.ofSeconds(Long.MAX_VALUE));
                  }
                  throw new IllegalStateException(context.id());
                })
            .retryPolicy(odd));

    world.awaitState("endless", TaskState.RETRY);
    world.awaitState("negative", TaskState.RETRY);
    world.awaitState("missing", TaskState.RETRY);
    world.awaitState("snooze", TaskState.SCHEDULED);
    world.awaitState("fine", TaskState.COMPLETED);
  }

  @Test
  void aResultThatCannotBeWrittenIsLeftOutAndTheWorkIsDone() {
    world.enqueue("a", options -> options.retention(HOUR));
    PayloadCodec broken =
        new PayloadCodec() {
          @Override
          public Payload encode(Object value) {
            throw new IllegalStateException("no JSON here");
          }

          @Override
          public Object decode(Payload payload, Type type) {
            throw new IllegalStateException("no JSON here");
          }
        };
    world.start(world.quick((task, context) -> Outcome.done(42)).codec(broken));

    world.awaitState("a", TaskState.COMPLETED);
    assertThat(world.info("a").result().isPresent()).isFalse();
  }

  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no text");
    }
  }

  @Test
  void anExceptionWhoseTextCannotBeHadIsAFailureAllTheSame() {
    TaskInfo info =
        afterOne(
            (task, context) -> {
              throw new Mute();
            },
            TaskState.RETRY);

    assertThat(info.lastError()).isEqualTo(Mute.class.getName());
  }

  @Test
  void aVeryLongTextIsShortened() {
    TaskInfo info =
        afterOne((task, context) -> Outcome.archive("x".repeat(100_000)), TaskState.ARCHIVED);

    assertThat(info.lastError().length()).isLessThan(3_000);
  }

  @Test
  void aTaskWhoseDeadlineHasPassedIsNotHandled() {
    AtomicBoolean called = new AtomicBoolean();
    world.enqueue("a", options -> options.deadline(Instant.parse("2001-01-01T00:00:00Z")));
    startWith(
        (task, context) -> {
          called.set(true);
          return Outcome.done();
        });

    world.awaitState("a", TaskState.RETRY);
    assertThat(called).isFalse();
    assertThat(world.info("a").lastError()).isEqualTo("context deadline exceeded");
  }

  @Test
  void aHandlerSeesItsTask() {
    Map<String, Object> got = new ConcurrentHashMap<>();
    world.enqueue(
        "a",
        options ->
            options
                .queue("mail")
                .maxRetry(7)
                .timeout(Duration.ofSeconds(60))
                .header("trace", "42")
                .retention(HOUR));
    world.start(
        world
            .quick(
                (task, context) -> {
                  got.put("id", context.id());
                  got.put("queue", context.queue().value());
                  got.put("type", context.type());
                  got.put("retries", context.retryCount());
                  got.put("maxRetry", context.maxRetry());
                  got.put("headers", context.headers());
                  got.put("timeLeft", context.timeLeft());
                  got.put("cancelled", context.cancelled());
                  got.put(
                      "deadlineIn",
                      Duration.between(world.redis.clock().instant(), context.deadline()));
                  context.progress(30, "almost");
                  context.writeResult(Payload.ofUtf8("first"));
                  // Written a moment later, together with other reports.
                  soon(
                      () ->
                          got.put("progress", world.jedis().hget("asynq:{mail}:t:a", "progress")));
                  return Outcome.done();
                })
            .queue("mail"));

    soon(
        () ->
            assertThat(world.find(QueueName.of("mail"), "a").map(TaskInfo::state))
                .contains(TaskState.COMPLETED));
    assertThat(got)
        .containsEntry("id", "a")
        .containsEntry("queue", "mail")
        .containsEntry("type", "t")
        .containsEntry("retries", 0)
        .containsEntry("maxRetry", 7)
        .containsEntry("headers", Map.of("trace", "42"))
        .containsEntry("cancelled", Optional.empty())
        .containsEntry("progress", "30 almost");
    assertThat((Duration) got.get("timeLeft"))
        .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));
    assertThat((Duration) got.get("deadlineIn"))
        .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(61));
    assertThat(world.tasks().task(QueueName.of("mail"), "a").result())
        .isEqualTo(Payload.ofUtf8("first"));
  }

  @Test
  void aResultCannotBeWrittenWhenTheAttemptIsOver() {
    List<TaskContext> kept = new CopyOnWriteArrayList<>();
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    world.enqueue("a", options -> options.retention(HOUR));
    startWith(
        (task, context) -> {
          kept.add(context);
          return Outcome.done();
        });
    world.awaitState("a", TaskState.COMPLETED);

    try {
      kept.get(0).writeResult("late");
    } catch (IllegalStateException e) {
      thrown.add(e);
    }
    assertThat(thrown).singleElement().satisfies(e -> assertThat(e).hasMessageContaining("ended"));
    assertThat(world.info("a").result().isPresent()).isFalse();
  }

  @Test
  void logsOfAHandlerNameItsTaskAndThoseAfterItDoNot() throws Exception {
    // slf4j-simple keeps no such context, so one that does takes its place here.
    Field adapter = mdcAdapter();
    Object before = adapter.get(null);
    adapter.set(null, new BasicMDCAdapter());
    try {
      Map<String, Map<String, String>> seen = new ConcurrentHashMap<>();
      Map<String, Map<String, String>> after = new ConcurrentHashMap<>();
      world.enqueue("a");
      world.start(
          world
              .quick(
                  (task, context) -> {
                    seen.put(context.id(), Map.copyOf(MDC.getCopyOfContextMap()));
                    throw new IllegalStateException("fails");
                  })
              .executor(
                  task ->
                      new Thread(
                              () -> {
                                MDC.put("mine", "kept");
                                task.run();
                                after.put("a", Map.copyOf(MDC.getCopyOfContextMap()));
                              })
                          .start()));
      soon(() -> assertThat(after).containsKey("a"));
      assertThat(seen.get("a"))
          .containsOnly(
              Map.entry(TaskContext.MdcKeys.TASK_ID, "a"),
              Map.entry(TaskContext.MdcKeys.TASK_TYPE, "t"),
              Map.entry(TaskContext.MdcKeys.QUEUE, "default"),
              Map.entry("mine", "kept"));
      assertThat(after.get("a")).containsOnly(Map.entry("mine", "kept"));
    } finally {
      adapter.set(null, before);
    }
  }

  private static Field mdcAdapter() {
    for (Field field : MDC.class.getDeclaredFields()) {
      if (field.getType().getSimpleName().equals("MDCAdapter")) {
        field.setAccessible(true);
        return field;
      }
    }
    throw new AssertionError("org.slf4j.MDC has no adapter any more");
  }

  @Test
  void aResultThatRedisWouldNeverAcceptIsDroppedAndTheTaskRecordsIt() {
    try (Jedis jedis = world.jedis()) {
      jedis.configSet("proto-max-bulk-len", "1048576");
      try {
        world.enqueue("b", options -> options.retention(HOUR));

        TaskInfo info =
            afterOne(
                (task, context) ->
                    Outcome.done(
                        Payload.of(new byte[context.id().equals("a") ? 2_000_000 : 1_048_576])),
                TaskState.COMPLETED);

        assertThat(info.isResultDropped()).isTrue();
        assertThat(info.result().isPresent()).isFalse();
        assertThat(info.lastError())
            .isEqualTo("result dropped: it has 2000000 bytes, the limit is 1048576");
        world.awaitState("b", TaskState.COMPLETED);
        assertThat(world.info("b").isResultDropped()).isFalse();
        assertThat(world.info("b").result().size()).isEqualTo(1_048_576);
      } finally {
        jedis.configSet("proto-max-bulk-len", "536870912");
      }
    }
  }

  @Test
  void aResultThatIsTooLargeIsNotWrittenWhileItsTaskRuns() {
    List<String> refusals = new CopyOnWriteArrayList<>();
    world.enqueue("a", options -> options.retention(HOUR));
    world.start(
        world
            .quick(
                (task, context) -> {
                  try {
                    context.writeResult(Payload.ofUtf8("12345"));
                  } catch (IllegalArgumentException e) {
                    refusals.add(e.getMessage());
                  }
                  return Outcome.done(Payload.ofUtf8("1234"));
                })
            .maxResult(4));

    world.awaitState("a", TaskState.COMPLETED);
    assertThat(refusals)
        .containsExactly(
            "the result of task a was not written: it has 5 bytes, the limit is 4; store large"
                + " data elsewhere and only its address in the result, or raise maxResult");
    assertThat(world.info("a").result()).isEqualTo(Payload.ofUtf8("1234"));
    assertThat(world.info("a").isResultDropped()).isFalse();
  }

  @Test
  void aTaskThatCanNeverBeSettledKeepsNoOtherOfItsQueueFromIt() {
    CountDownLatch running = new CountDownLatch(3);
    CountDownLatch finish = new CountDownLatch(1);
    world.enqueueMany("t", 3, options -> options.retention(HOUR));
    startWith(
        (task, context) -> {
          running.countDown();
          finish.await();
          return Outcome.done();
        });
    soon(() -> assertThat(running.getCount()).isZero());
    try (Jedis jedis = world.jedis()) {
      jedis.del("asynq:{default}:t:t1");
      jedis.set("asynq:{default}:t:t1", "no task at all");
      // So that the record has to be looked at.
      double lease = jedis.zscore("asynq:{default}:lease", "t1");
      jedis.zadd("asynq:{default}:lease", lease + 1, "t1");
    }

    finish.countDown();

    world.awaitState("t0", TaskState.COMPLETED);
    world.awaitState("t2", TaskState.COMPLETED);
    // Its worker abandoned it, so a recoverer that finds the expired lease ignores it.
    soon(() -> assertThat(world.ids(ServerFixture.Q, TaskState.ACTIVE)).isEmpty());
  }

  @Test
  void whatRedisRefusesToSettleForItsDataIsArchived() {
    world.enqueueMany("a", 2, options -> options.maxRetry(3));
    world.enqueue("done", options -> options.retention(HOUR));
    CountDownLatch begun = new CountDownLatch(3);
    startWith(
        (task, context) -> {
          begun.countDown();
          begun.await();
          if (context.id().equals("done")) {
            return Outcome.done();
          }
          try (Jedis jedis = world.jedis()) {
            jedis.set("asynq:{default}:settings", "no hash");
          }
          throw new IllegalStateException("on purpose");
        });

    soon(
        () ->
            assertThat(recorder.lines("settled"))
                .containsExactlyInAnyOrder(
                    "settled a0 ARCHIVE", "settled a1 ARCHIVE", "settled done DONE"));
    assertThat(recorder.lines("leaseLost")).isEmpty();
    assertThat(world.info("a0").lastError())
        .contains("could not be settled as RETRY")
        .contains("WRONGTYPE");
    assertThat(world.state("a1")).isEqualTo(TaskState.ARCHIVED);
    assertThat(world.state("done")).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void whatRedisRefusesEvenToArchiveIsGivenUp() {
    world.enqueue("a");
    try (CapturedLogs logs = new CapturedLogs()) {
      startWith(
          (task, context) -> {
            try (Jedis jedis = world.jedis()) {
              jedis.set("asynq:{default}:archived", "no sorted set");
            }
            return Outcome.archive("on purpose");
          });

      soon(() -> assertThat(logs.linesWith("gave up settling 1 tasks")).isNotEmpty());
    }
    assertThat(recorder.lines("settled a")).isEmpty();
    try (Jedis jedis = world.jedis()) {
      assertThat(jedis.hget("asynq:{default}:t:a", "state")).isEqualTo("active");
    }
  }
}
