package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.interop.Peer.GoTask;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Tasks of all kinds, and what a handler on either side must see of each. */
final class Samples {

  static final int GROUPED = 10;
  static final int KEPT = 10;

  private static final String NO_GROUP = "";

  private Samples() {}

  /**
   * A hundred: plain, due in a second, unique, with a result that is kept, with headers, grouped.
   */
  static List<GoTask> hundred(String queue, Instant now) {
    List<GoTask> tasks = new ArrayList<>();
    Random random = new Random(26);
    for (int i = 0; i < 40; i++) {
      byte[] bytes = new byte[i == 0 ? 0 : (i - 1) * 23];
      random.nextBytes(bytes);
      Payload payload = i == 0 ? Payload.absent() : Payload.of(bytes);
      tasks.add(task(queue, "plain-" + i, payload, Map.of(), NO_GROUP, i, 0, 0, 0));
    }
    for (int i = 0; i < 15; i++) {
      tasks.add(text(queue, "later-" + i, "later " + i, NO_GROUP, 0, 1000, 0));
    }
    for (int i = 0; i < 15; i++) {
      tasks.add(text(queue, "unique-" + i, "unique " + i, NO_GROUP, 3_600_000, 0, 0));
    }
    for (int i = 0; i < KEPT; i++) {
      tasks.add(text(queue, "kept-" + i, "result größer " + i, NO_GROUP, 0, 0, 3_600_000));
    }
    for (int i = 0; i < 10; i++) {
      Map<String, String> headers = Map.of("trace", "00-" + i, "leer", "", "Ünï", "日本 " + i);
      GoTask plain =
          task(queue, "headed-" + i, Payload.of(new byte[] {1}), headers, NO_GROUP, 25, 0, 0, 0);
      tasks.add(
          i % 2 == 0 ? withTimeout(plain, 7000) : withDeadline(plain, now.plusSeconds(100 + i)));
    }
    for (int i = 0; i < GROUPED; i++) {
      tasks.add(text(queue, "grouped-" + i, "member " + i, "together", 0, 0, 0));
    }
    assertThat(tasks).hasSize(100);
    return tasks;
  }

  /** A task that tells the handler what to do. */
  static GoTask text(String queue, String id, String payload) {
    return text(queue, id, payload, NO_GROUP, 0, 0, 0);
  }

  static GoTask text(
      String queue,
      String id,
      String payload,
      String group,
      long unique,
      long processIn,
      long retention) {
    return task(
        queue, id, Payload.ofUtf8(payload), Map.of(), group, 25, unique, processIn, retention);
  }

  static GoTask kept(String queue, String id, String payload) {
    return text(queue, id, payload, NO_GROUP, 0, 0, 3_600_000);
  }

  static GoTask unique(String queue, String id, Payload payload) {
    return task(queue, id, payload, Map.of(), NO_GROUP, 25, 3_600_000, 0, 0);
  }

  private static GoTask task(
      String queue,
      String id,
      Payload payload,
      Map<String, String> headers,
      String group,
      int maxRetry,
      long unique,
      long processIn,
      long retention) {
    return new GoTask(
        "kind",
        base64(payload),
        headers,
        id,
        queue,
        group,
        maxRetry,
        0,
        0,
        unique,
        processIn,
        retention);
  }

  private static @Nullable String base64(Payload payload) {
    return payload.isPresent() ? Base64.getEncoder().encodeToString(payload.bytes()) : null;
  }

  static GoTask withTimeout(GoTask task, long millis) {
    return new GoTask(
        task.type(),
        task.payload(),
        task.headers(),
        task.id(),
        task.queue(),
        task.group(),
        task.maxRetry(),
        millis,
        task.deadline(),
        task.unique(),
        task.processIn(),
        task.retention());
  }

  static GoTask withDeadline(GoTask task, Instant deadline) {
    return new GoTask(
        task.type(),
        task.payload(),
        task.headers(),
        task.id(),
        task.queue(),
        task.group(),
        task.maxRetry(),
        task.timeout(),
        deadline.toEpochMilli(),
        task.unique(),
        task.processIn(),
        task.retention());
  }

  /** Whether a handler saw just what was enqueued. */
  static void assertSeen(GoTask task, Worker.Event seen, Instant enqueued, Instant now) {
    assertThat(seen.bytes()).as(task.id()).isEqualTo(task.bytes().bytes());
    assertThat(seen.type()).isEqualTo(task.type());
    assertThat(seen.queue()).isEqualTo(task.queue());
    assertThat(seen.headersOrNone()).isEqualTo(task.headers());
    assertThat(seen.maxRetry()).isEqualTo(task.maxRetry());
    assertThat(seen.retried()).isZero();
    if (task.deadline() != 0) {
      assertThat(seen.deadline()).isEqualTo(task.deadline() / 1000);
    } else {
      Duration most =
          task.timeout() == 0 ? Duration.ofMinutes(30) : Duration.ofMillis(task.timeout());
      assertThat(seen.deadline())
          .isBetween(enqueued.plus(most).getEpochSecond() - 1, now.plus(most).getEpochSecond() + 1);
    }
  }

  /** What the tasks of the group have become: their payloads, one per line. */
  static void assertJoined(List<GoTask> members, Worker.Event seen) {
    assertThat(seen.type()).isEqualTo("joined:together");
    assertThat(new String(seen.bytes(), StandardCharsets.UTF_8).lines())
        .containsExactlyInAnyOrderElementsOf(
            members.stream().map(member -> member.bytes().utf8()).toList());
  }
}
