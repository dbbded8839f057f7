package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.Payload;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.inspect.QueueNotEmptyException;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoTaskInfo;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;

/** Operator actions of one side work on tasks of the other. */
@ForEachSetup
class OperatorActionsIT extends InteropTestBase {

  /** A queue for each. */
  private enum Verb {
    RUN,
    ARCHIVE,
    DELETE;

    /** The states in which the action is possible. */
    List<TaskState> states() {
      return switch (this) {
        case RUN ->
            List.of(
                TaskState.SCHEDULED, TaskState.RETRY, TaskState.ARCHIVED, TaskState.AGGREGATING);
        case ARCHIVE ->
            List.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.AGGREGATING);
        case DELETE -> AT_REST;
      };
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The expected result for a task. */
    Optional<TaskState> leadsTo() {
      return switch (this) {
        case RUN -> Optional.of(TaskState.PENDING);
        case ARCHIVE -> Optional.of(TaskState.ARCHIVED);
        case DELETE -> Optional.empty();
      };
    }
  }

  @Test
  void goOperatesOnOurTasks() {
    operateOnTasksOf(Side.JAVA);
  }

  @Test
  void weOperateOnTasksOfGo() {
    operateOnTasksOf(Side.GO);
  }

  private void operateOnTasksOf(Side author) {
    String[] queues = {"run", "archive", "delete"};
    leaveInEachState(author, List.of("one", "two", "three"), queues);
    for (Verb verb : Verb.values()) {
      for (TaskState state : verb.states()) {
        String id = "one-" + state.word();
        act(author.other(), verb, id);
        assertActed(verb, state, "one");
        assertThat(stateOf(verb.word(), "two-" + state.word())).isEqualTo(state);
      }
      // Those of the archive or in pending have grown by now.
      Map<TaskState, Long> before = inspector.queue(verb.word()).snapshot().sizes();
      for (TaskState state : verb.states()) {
        assertThat(actOnAll(author.other(), verb, state)).isEqualTo(before.get(state)).isNotZero();
        assertActed(verb, state, "two");
        assertActed(verb, state, "three");
      }
    }
    assertThat(inspector.queue("delete").snapshot().size()).isZero();
    assertTheDoctorFindsNothing();
  }

  private void act(Side side, Verb verb, String id) {
    if (side == Side.GO) {
      goDoes(verb.word(), verb.word(), id);
    } else {
      switch (verb) {
        case RUN -> inspector.queue("run").run(id);
        case ARCHIVE -> inspector.queue("archive").archive(id);
        case DELETE -> inspector.queue("delete").delete(id);
      }
    }
  }

  private long actOnAll(Side side, Verb verb, TaskState state) {
    if (side == Side.GO) {
      return goSees(Long.class, verb.word() + "-all", verb.word(), state.word(), GROUP).get(0);
    }
    return switch (verb) {
      case RUN -> inspector.queue("run").runAll(state);
      case ARCHIVE -> inspector.queue("archive").archiveAll(state);
      case DELETE -> inspector.queue("delete").deleteAll(state);
    };
  }

  private void assertActed(Verb verb, TaskState from, String name) {
    String id = name + "-" + from.word();
    Optional<TaskState> now = verb.leadsTo();
    if (now.isPresent()) {
      assertThat(stateOf(verb.word(), id)).isEqualTo(now.get());
      assertThat(goSeesTask(verb.word(), id).state()).isEqualTo(now.get().word());
    } else {
      assertThatThrownBy(() -> inspector.queue(verb.word()).task(id))
          .isInstanceOf(TaskNotFoundException.class);
    }
  }

  @Test
  void aPayloadThatOneSideReplacesTheOtherRuns() {
    GoTask ours = GoTask.of("ours", "result old").processIn(HOUR).retention(HOUR).build();
    GoTask gos = GoTask.of("go's", "result old").processIn(HOUR).retention(HOUR).build();
    weEnqueue(ours);
    goEnqueues(gos);

    inspector.queue(Q).updatePayload("go's", Payload.ofUtf8("result new"));
    assertThat(goSeesTask(Q, "go's")).isEqualTo(GoTaskInfo.of(task("go's")));
    if (setting.go().updatesPayloads()) {
      goDoes("update", Q, "ours", "result new");
      assertThat(goSeesTask(Q, "ours")).isEqualTo(GoTaskInfo.of(task("ours")));
      goDoes("run", Q, "ours");
      process(Side.JAVA, Q);
      assertThat(task("ours").result().utf8()).isEqualTo("new");
    }
    inspector.queue(Q).run("go's");
    process(Side.GO, Q);
    assertThat(task("go's").result().utf8()).isEqualTo("new");
  }

  @Test
  void eitherRemovesAQueueOfTheOther() {
    for (Side author : Side.values()) {
      enqueue(
          author,
          List.of(
              SampleTasks.text("pending", "x"),
              GoTask.of("scheduled", "x").processIn(HOUR).build()));
      assertThatThrownBy(() -> goDoes("remove", Q)).hasMessageContaining("not empty");
      assertThatThrownBy(() -> inspector.queue(Q).remove(false))
          .isInstanceOf(QueueNotEmptyException.class);
      assertThat(stats().size()).isEqualTo(2);
      if (author == Side.JAVA) {
        goDoes("remove", Q, "force");
      } else {
        inspector.queue(Q).remove(true);
      }
      assertThat(inspector.queues()).isEmpty();
      assertTheDoctorFindsNothing();
    }
  }

  @Test
  void aCancellationByGoReachesOurHandler() throws Exception {
    weEnqueue(SampleTasks.text("long", "x"));
    BlockingQueue<Optional<CancelReason>> reasons = new LinkedBlockingQueue<>();
    AtomicInteger started = new AtomicInteger();
    try (TaskServer server =
        javaServer()
            .handlers(
                (task, context) -> {
                  started.incrementAndGet();
                  try {
                    // Longer than the test, because it is interrupted.
                    TimeUnit.MINUTES.sleep(10);
                  } finally {
                    reasons.add(context.cancelled());
                  }
                  return Outcome.done();
                })
            .build()) {
      server.start();
      soon(() -> assertThat(started).hasValue(1));
      goDoes("cancel", "long");

      assertThat(reasons.poll(10, TimeUnit.SECONDS)).contains(CancelReason.REQUESTED);
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
    assertThat(task("long").lastError()).isEqualTo("context canceled");
  }

  @Test
  void ourCancellationReachesAGoHandler() {
    weEnqueue(SampleTasks.text("long", "sleep 600000ms"));
    try (WorkerProcess go = goWorker("-retry-delay", "1h")) {
      go.await("started", "long");
      inspector.queue(Q).cancel("long");

      assertThat(go.await("finished", "long").error()).isEqualTo("context canceled");
      soon(() -> assertThat(task("long").state()).isEqualTo(TaskState.RETRY));
    }
    assertThat(task("long").lastError()).isEqualTo("context canceled");
  }

  @Test
  void goIgnoresTheLimitsOfJavaServers() {
    inspector.queue(Q).setLimits(QueueLimits.NONE.withMaxActive(1));
    weEnqueue(SampleTasks.text("one", "sleep 1500ms"), SampleTasks.text("two", "sleep 1500ms"));
    try (WorkerProcess go = goWorker()) {
      go.awaitCount("started", 2);
      assertThat(go.events("finished")).as("both run at once").isEmpty();
    }
  }

  @Test
  void aQueueThatOneSidePausesIsPausedForBothUntilTheOtherResumesIt() {
    AtomicInteger handled = new AtomicInteger();
    try (WorkerProcess go = goWorker();
        TaskServer server =
            javaServer()
                .handlers(
                    (task, context) -> {
                      handled.incrementAndGet();
                      return Outcome.done();
                    })
                .build()) {
      server.start();
      goDoes("pause", Q);
      weEnqueue(SampleTasks.text("one", "x"));
      assertNothingHappensFor(() -> assertThat(stats().size(TaskState.PENDING)).isEqualTo(1));
      inspector.queue(Q).resume();
      soon(() -> assertThat(stats().processed()).isEqualTo(1));

      inspector.queue(Q).pause();
      goEnqueues(SampleTasks.text("two", "x"));
      assertNothingHappensFor(() -> assertThat(stats().size(TaskState.PENDING)).isEqualTo(1));
      goDoes("unpause", Q);
      soon(() -> assertThat(stats().processed()).isEqualTo(2));
      assertThat(go.events("started").size() + handled.get()).isEqualTo(2);
    }
  }

  /** Time within which either side would poll the queue at least once if it were not paused. */
  private static void assertNothingHappensFor(ThrowingRunnable assertion) {
    Awaitility.await()
        .during(Duration.ofMillis(1600))
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(assertion);
  }
}
