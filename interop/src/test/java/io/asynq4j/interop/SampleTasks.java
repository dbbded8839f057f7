package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.GoVersion;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.server.GroupAggregator.Aggregated;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Tasks of all kinds, and what a handler of either side must receive. */
final class SampleTasks {

  static final int GROUPED = 10;
  static final int KEPT = 10;

  private SampleTasks() {}

  /**
   * A hundred: plain, due in a second, unique, with a result that is kept, with headers if the
   * version knows them, grouped.
   */
  static List<GoTask> hundred(GoVersion version, Instant now) {
    List<GoTask> tasks = new ArrayList<>();
    Random random = new Random(26);
    for (int i = 0; i < 40; i++) {
      byte[] bytes = new byte[i == 0 ? 0 : (i - 1) * 23];
      random.nextBytes(bytes);
      Payload payload = i == 0 ? Payload.absent() : Payload.of(bytes);
      tasks.add(GoTask.of("plain-" + i, payload).maxRetry(i).build());
    }
    for (int i = 0; i < 15; i++) {
      tasks.add(GoTask.of("later-" + i, "later " + i).processIn(Duration.ofSeconds(1)).build());
    }
    for (int i = 0; i < 15; i++) {
      tasks.add(GoTask.of("unique-" + i, "unique " + i).unique(InteropTestBase.HOUR).build());
    }
    for (int i = 0; i < KEPT; i++) {
      tasks.add(kept("kept-" + i, "result größer " + i));
    }
    for (int i = 0; i < 10; i++) {
      GoTask.Builder task = GoTask.of("headed-" + i, Payload.of(new byte[] {1}));
      if (version.knowsHeaders()) {
        task.headers(Map.of("trace", "00-" + i, "leer", "", "Ünï", "日本 " + i));
      }
      if (i % 2 == 0) {
        task.timeout(Duration.ofSeconds(7));
      } else {
        task.deadline(now.plusSeconds(100 + i));
      }
      tasks.add(task.build());
    }
    for (int i = 0; i < GROUPED; i++) {
      tasks.add(GoTask.of("grouped-" + i, "member " + i).group(InteropTestBase.GROUP).build());
    }
    assertThat(tasks).hasSize(100);
    return tasks;
  }

  /** A task whose payload controls the handler. */
  static GoTask text(String id, String payload) {
    return GoTask.of(id, payload).build();
  }

  static GoTask kept(String id, String payload) {
    return GoTask.of(id, payload).retention(InteropTestBase.HOUR).build();
  }

  /** Asserts that a handler received exactly what was enqueued. */
  static void assertSeen(GoTask task, WorkerProcess.Event seen, Instant enqueued, Instant now) {
    assertThat(seen.bytes()).as(task.id()).isEqualTo(task.bytes().bytes());
    assertThat(seen.type()).isEqualTo(task.type());
    assertThat(seen.queue()).isEqualTo(task.queue());
    assertThat(seen.headersOrNone()).isEqualTo(task.headers());
    assertThat(seen.maxRetry()).isEqualTo(task.allowedRetries());
    assertThat(seen.retried()).isZero();
    if (task.deadline() != 0) {
      assertThat(seen.deadline()).isEqualTo(task.deadline() / 1000);
    } else {
      Duration most =
          task.timeout() == 0 ? TaskOptions.DEFAULT_TIMEOUT : Duration.ofMillis(task.timeout());
      assertThat(seen.deadline())
          .isBetween(enqueued.plus(most).getEpochSecond() - 1, now.plus(most).getEpochSecond() + 1);
    }
  }

  /** As {@code join} in {@code work.go}. */
  static Aggregated join(QueueName queue, String group, List<Task> members) {
    String payload =
        members.stream().map(task -> task.payload().utf8()).collect(Collectors.joining("\n"));
    return Aggregated.of(Task.of("joined:" + group, Payload.ofUtf8(payload)));
  }

  /** Asserts that the aggregated task has the payloads of the group, one per line. */
  static void assertJoined(List<GoTask> members, WorkerProcess.Event seen) {
    assertThat(seen.type()).isEqualTo("joined:" + InteropTestBase.GROUP);
    assertThat(new String(seen.bytes(), StandardCharsets.UTF_8).lines())
        .containsExactlyInAnyOrderElementsOf(
            members.stream().map(member -> member.bytes().utf8()).toList());
  }
}
