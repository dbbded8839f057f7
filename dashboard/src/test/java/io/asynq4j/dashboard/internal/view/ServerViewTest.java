package io.asynq4j.dashboard.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.dashboard.Role;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerViewTest {

  private static final WorkerSnapshot OF_MAIL = WorkerSnapshot.builder("1").queue("mail").build();
  private static final WorkerSnapshot OF_NEWS = WorkerSnapshot.builder("2").queue("news").build();

  private static final ServerSnapshot SERVER =
      ServerSnapshot.builder("s")
          .host("h")
          .pid(7)
          .concurrency(5)
          .queues(Map.of("mail", 1, "news", 2))
          .strictPriority(true)
          .status("stopped")
          .started(Instant.parse("2030-01-01T12:00:00Z"))
          .heartbeatAge(Duration.ofSeconds(1))
          .activeWorkers(3)
          .workers(List.of(OF_MAIL, OF_NEWS))
          .problem("broken")
          .build();

  private static List<ServerSnapshot> visible(String... queues) {
    return ServerView.visible(List.of(SERVER), new Grant(Role.VIEWER, List.of(queues)));
  }

  @Test
  void aServerShowsNothingOfHiddenQueues() {
    ServerSnapshot shown = visible("news").get(0);

    assertThat(shown.queues()).isEqualTo(Map.of("news", 2));
    assertThat(shown.workers()).containsExactly(OF_NEWS);
    assertThat(shown.activeWorkers()).isEqualTo(1);
    assertThat(shown)
        .usingRecursiveComparison()
        .ignoringFields("queues", "workers", "activeWorkers")
        .isEqualTo(SERVER);
  }

  @Test
  void aServerWithoutAVisibleQueueIsHidden() {
    assertThat(visible("other")).isEmpty();
    assertThat(visible("*")).containsExactly(SERVER);
  }
}
