package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.interop.Peer.GoTask;
import io.asynq4j.server.TaskServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** A Go worker and a server of ours, side by side. */
class MixedFleetIT extends TwoSides {

  private static final int TASKS = 2_000;

  @Test
  void eachTaskIsProcessedOnceByOneOfTheTwo() {
    List<GoTask> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(Samples.text(QUEUE.value(), "task-" + i, "sleep 4ms"));
    }
    // Paused, so that neither is done before the other has started.
    redis.broker().inspection().pause(QUEUE);
    assertThat(weEnqueue(tasks.subList(0, TASKS / 2))).containsOnly(EnqueueAnswer.ENQUEUED);
    goEnqueues(tasks.subList(TASKS / 2, TASKS));

    Queue<Worker.Event> seenByOurs = new ConcurrentLinkedQueue<>();
    try (Worker go = goWorker("-concurrency", "5");
        TaskServer server =
            javaServer().concurrency(5).handlers(new Obedient(seenByOurs::add)).build()) {
      server.start();
      goDoes("unpause", QUEUE.value());
      soon(() -> assertThat(stats().size()).isZero());

      List<String> seen = new ArrayList<>();
      seenByOurs.forEach(event -> seen.add(String.valueOf(event.id())));
      go.events("started").forEach(event -> seen.add(String.valueOf(event.id())));
      assertThat(seen).containsExactlyInAnyOrderElementsOf(tasks.stream().map(GoTask::id).toList());
      assertThat(seenByOurs).as("our share").hasSizeBetween(TASKS / 10, TASKS * 9 / 10);
    }
    assertThat(stats().processed()).isEqualTo(TASKS);
    assertThat(stats().failed()).isZero();
    assertNothingIsActive();
  }
}
