package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.server.TaskServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** One side is replaced by the other while a queue holds tasks in every state; and back again. */
@EachSetting
class RollingChangeIT extends TwoSides {

  private static final Duration SHORT = Duration.ofSeconds(2);

  @Test
  void whatGoLeftWeFinishAndTheOtherWayRound() {
    leave(Side.GO, "go");
    finishWithOurs("go");
    leave(Side.JAVA, "java");
    finishWithGo("java");
    leave(Side.GO, "again");
    finishWithOurs("again");
    assertTheDoctorFindsNothingOfTheDead();
  }

  /** A task in every state, by one side alone. */
  private void leave(Side side, String name) {
    long processed = inspector.queues().isEmpty() ? 0 : stats().processed();
    enqueue(
        side,
        List.of(
            GoTask.of(name + "-retry", "fail broken").maxRetry(1).build(),
            Samples.text(name + "-archived", "archive why"),
            GoTask.of(name + "-completed", "result what").retention(SHORT).build(),
            Samples.text(name + "-active", "sleep 2000ms")));
    try (Worker worker = side == Side.GO ? goWorker("-retry-delay", "2s") : javaWorker()) {
      soon(() -> assertThat(stats().processed()).isEqualTo(processed + 3));
      worker.await("started", name + "-active");
      worker.kill();
    }
    enqueue(
        side,
        List.of(
            Samples.text(name + "-pending", "x"),
            GoTask.of(name + "-scheduled", "x").processIn(SHORT).build(),
            GoTask.of(name + "-grouped-1", "x").group(GROUP).build(),
            GoTask.of(name + "-grouped-2", "x").group(GROUP).build()));
    for (TaskState state : TaskState.values()) {
      assertThat(stats().size(state)).as("%s", state).isPositive();
    }
    ageLease(name + "-active");
  }

  private void finishWithOurs(String name) {
    Map<String, Worker.Event> seen = new ConcurrentHashMap<>();
    try (TaskServer server =
        javaServer()
            .groupGrace(Duration.ofSeconds(1))
            .aggregator(Samples::join)
            .handlers(new Obedient(event -> seen.put(String.valueOf(event.id()), event)))
            .build()) {
      server.start();
      soon(() -> assertThat(seen).hasSize(5));
      inspector.run(Q, name + "-archived");
      soon(() -> assertThat(seen).hasSize(6));
      // It fails for the second time, and gives up for good.
      soon(() -> assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(2));
      soon(() -> assertThat(stats().size()).isEqualTo(2));
    }
    assertAllSeen(name, seen);
  }

  private void finishWithGo(String name) {
    try (Worker go = goWorker("-retry-delay", "1s", "-group-size", "100")) {
      go.awaitCount("started", 5);
      goDoes("run", Q, name + "-archived");
      go.awaitCount("started", 6);
      soon(() -> assertThat(stats().size(TaskState.ARCHIVED)).isEqualTo(2));
      soon(() -> assertThat(stats().size()).isEqualTo(2));
      Map<String, Worker.Event> seen = new ConcurrentHashMap<>();
      go.events("started").forEach(event -> seen.put(String.valueOf(event.id()), event));
      assertAllSeen(name, seen);
    }
  }

  /** Each once, with what was known of it; then the two that gave up are taken away. */
  private void assertAllSeen(String name, Map<String, Worker.Event> seen) {
    assertThat(seen).hasSize(6);
    List<String> alone = List.of("retry", "archived", "active", "pending", "scheduled");
    assertThat(seen)
        .containsKeys(alone.stream().map(one -> name + "-" + one).toArray(String[]::new));
    assertThat(seen.values().stream().filter(event -> "x\nx".equals(text(event)))).hasSize(1);
    assertThat(task(name + "-retry").retried()).isEqualTo(1);
    assertThat(task(name + "-retry").lastError()).isEqualTo("broken");
    inspector.deleteAll(Q, TaskState.ARCHIVED);
    assertThat(stats().size()).isZero();
  }

  private static String text(Worker.Event event) {
    return new String(event.bytes(), StandardCharsets.UTF_8);
  }
}
