package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.interop.Peer.Answer;
import io.asynq4j.interop.Peer.GoTask;
import io.asynq4j.server.GroupAggregator.Aggregated;
import io.asynq4j.server.TaskServer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What one side enqueues, the other processes. */
class ProducingIT extends TwoSides {

  private static final int RUNS = 100 - Samples.GROUPED + 1;

  @Test
  void goEnqueuesAndWeProcess() {
    Instant enqueued = redis.clock().instant();
    List<GoTask> tasks = Samples.hundred(QUEUE.value(), enqueued);
    assertThat(goEnqueues(tasks)).extracting(Answer::verdict).containsOnly("enqueued");

    List<Worker.Event> seen = new CopyOnWriteArrayList<>();
    try (TaskServer server =
        javaServer()
            .concurrency(10)
            .handlers(new Obedient(seen::add))
            .groupMaxSize(Samples.GROUPED)
            .aggregator((queue, group, members) -> Aggregated.of(joined(group, members)))
            .build()) {
      server.start();
      soon(() -> assertThat(seen).hasSize(RUNS));
      soon(this::assertOnlyKeptTasksAreLeft);
    }
    assertEachSeenOnce(tasks, seen, enqueued);
    assertLocksAreFree(tasks);
  }

  private static Task joined(String group, List<Task> members) {
    String payload =
        members.stream().map(task -> task.payload().utf8()).collect(Collectors.joining("\n"));
    return Task.of("joined:" + group, Payload.ofUtf8(payload));
  }

  @Test
  void weEnqueueAndGoProcesses() {
    Instant enqueued = redis.clock().instant();
    List<GoTask> tasks = Samples.hundred(QUEUE.value(), enqueued);
    assertThat(weEnqueue(tasks)).containsOnly(EnqueueAnswer.ENQUEUED);

    try (Worker go = goWorker("-concurrency", "10", "-group-size", "" + Samples.GROUPED)) {
      go.awaitCount("finished", RUNS);
      soon(this::assertOnlyKeptTasksAreLeft);
      assertEachSeenOnce(tasks, go.events("started"), enqueued);
      assertThat(go.events("finished")).extracting(Worker.Event::error).containsOnlyNulls();
    }
    assertLocksAreFree(tasks);
  }

  private void assertOnlyKeptTasksAreLeft() {
    assertThat(stats().size(TaskState.COMPLETED)).isEqualTo(Samples.KEPT);
    assertThat(stats().size()).isEqualTo(Samples.KEPT);
    assertNothingIsActive();
  }

  private void assertEachSeenOnce(List<GoTask> tasks, List<Worker.Event> seen, Instant enqueued) {
    assertThat(seen).extracting(Worker.Event::id).doesNotHaveDuplicates().hasSize(RUNS);
    Map<String, Worker.Event> byId = new HashMap<>();
    seen.forEach(event -> byId.put(String.valueOf(event.id()), event));
    Instant now = redis.clock().instant();
    List<GoTask> members = new ArrayList<>();
    for (GoTask task : tasks) {
      if (task.group().isEmpty()) {
        assertThat(byId).containsKey(task.id());
        Samples.assertSeen(task, Objects.requireNonNull(byId.remove(task.id())), enqueued, now);
      } else {
        members.add(task);
      }
      if (task.retention() != 0) {
        assertThat(task(task.id()).state()).isEqualTo(TaskState.COMPLETED);
        assertThat("result " + task(task.id()).result().utf8()).isEqualTo(task.bytes().utf8());
      }
    }
    assertThat(byId).hasSize(1);
    Samples.assertJoined(members, byId.values().iterator().next());
  }

  /** Done, a unique task lets an equal one in, whoever asks. */
  private void assertLocksAreFree(List<GoTask> tasks) {
    List<GoTask> unique = tasks.stream().filter(task -> task.unique() != 0).toList();
    assertThat(goEnqueues(unique.subList(0, 7)))
        .extracting(Answer::verdict)
        .containsOnly("enqueued");
    assertThat(weEnqueue(unique.subList(7, 15))).containsOnly(EnqueueAnswer.ENQUEUED);
  }

  @Test
  void aUniqueTaskOfOneSideBlocksAnEqualOneOfTheOther() {
    List<Payload> payloads =
        List.of(Payload.absent(), Payload.ofUtf8(""), Payload.of(new byte[] {0, -1, 10, 13}));
    List<GoTask> first = new ArrayList<>();
    List<GoTask> second = new ArrayList<>();
    for (int i = 0; i < payloads.size(); i++) {
      first.add(Samples.unique(QUEUE.value(), "first-" + i, payloads.get(i)));
      second.add(Samples.unique(QUEUE.value(), "second-" + i, payloads.get(i)));
    }

    assertThat(goEnqueues(first)).extracting(Answer::verdict).containsOnly("enqueued");
    assertThat(weEnqueue(second))
        .containsExactly(
            EnqueueAnswer.duplicateOf("first-0"),
            EnqueueAnswer.duplicateOf("first-1"),
            EnqueueAnswer.duplicateOf("first-2"));

    redis.broker().inspection().delete(QUEUE, List.of("first-0", "first-1", "first-2"));
    assertThat(weEnqueue(second)).containsOnly(EnqueueAnswer.ENQUEUED);
    assertThat(goEnqueues(first)).extracting(Answer::verdict).containsOnly("duplicate");
  }

  @Test
  void anIdThatOneSideHasTakenIsTakenForTheOther() {
    GoTask task = Samples.text(QUEUE.value(), "mine", "x");
    GoTask later = Samples.text(QUEUE.value(), "yours", "x", "", 0, 3_600_000, 0);

    weEnqueue(List.of(task));
    assertThat(goEnqueues(List.of(task, later)))
        .extracting(Answer::verdict)
        .containsExactly("conflict", "enqueued");
    assertThat(weEnqueue(List.of(later))).containsExactly(EnqueueAnswer.ID_CONFLICT);
  }
}
