package io.asynq4j.cli.dash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.model.DashEvent;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.terminal.Display;
import io.asynq4j.embedded.EmbeddedRedis;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole dashboard with a real Redis and without a terminal. */
class DashEventLoopIT {
  /** A terminal that records its screens. */
  private static final class Glass implements Display {
    private volatile String shown = "";
    private volatile boolean isClosed;

    @Override
    public ScreenSize size() {
      return ScreenSize.USUAL;
    }

    @Override
    public void show(CharacterGrid grid, boolean isComplete) {
      shown = grid.text();
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private final EmbeddedRedis server = EmbeddedRedis.start();
  private final RedisConnection redis = RedisConnection.open(server.uri() + "?retryFor=0s");
  private final Inspector inspector = Inspector.create(redis);
  private final Glass glass = new Glass();
  private final DashEventLoop dashboard =
      new DashEventLoop(redis, "here", Duration.ofMillis(200), ZoneOffset.UTC);
  private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);

  @BeforeEach
  void start() {
    SampleTasks.oneOfEach(redis, "mail");
    SampleTasks.pending(redis, "other", "p", 3);
    running =
        CompletableFuture.runAsync(
            () -> {
              try (glass) {
                dashboard.run(glass);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    sees("mail", "other");
  }

  @AfterEach
  void end() throws Exception {
    press(Key.Code.QUIT);
    running.get(10, TimeUnit.SECONDS);
    assertThat(glass.isClosed).isTrue();
    redis.close();
    server.close();
  }

  private void press(String keys) {
    for (int i = 0; i < keys.length(); i++) {
      dashboard.happen(new DashEvent.Pressed(Key.of(keys.charAt(i))));
    }
  }

  private void press(Key.Code code) {
    dashboard.happen(new DashEvent.Pressed(Key.of(code)));
  }

  private void sees(String... texts) {
    await()
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(glass.shown).contains(texts));
  }

  @Test
  void aQueueIsPausedAndResumed() {
    press("P");
    sees("Pause queue \"mail\"?");
    press("y");
    sees("Queue \"mail\" is paused", "PAUSED");
    assertThat(inspector.queue("mail").snapshot().paused()).isTrue();
    press("P");
    sees("Resume queue \"mail\"?");
    press("y");
    sees("is resumed");
    assertThat(inspector.queue("mail").snapshot().paused()).isFalse();
  }

  @Test
  void tasksAreRunArchivedAndDeleted() {
    press(Key.Code.ENTER);
    press("llll");
    sees("retry-1", "connection refus");
    press("a");
    press("y");
    sees("Task retry-1 is archived.", "No tasks in this state.");
    press("l");
    sees("archived-1");
    press("r");
    press("y");
    sees("is pending.");
    assertThat(inspector.queue("mail").snapshot().size(TaskState.PENDING)).isEqualTo(2);
    press("hhhh");
    sees("pending-1");
    press(Key.Code.ENTER);
    sees("Payload", "\"id\": ");
    press("d");
    sees("permanently?");
    press("y");
    sees("is deleted.", "Last known data");
    await().until(() -> inspector.queue("mail").snapshot().size(TaskState.PENDING) == 1);
  }

  @Test
  void markedTasksAreDeletedTogetherAndFailuresAreReported() {
    press("j");
    press(Key.Code.ENTER);
    press("l");
    sees("p-0", "p-2");
    press("  ");
    sees("2 marked");
    press("a");
    sees("Archive 2 marked tasks");
    press("y");
    sees("2 tasks are archived.", "showing 1–1 of 1");
    press("hhh");
    sees("showing 1–2 of 2");
    press("A");
    sees("2 marked");
    press("d");
    sees("Delete 2 marked tasks");
    inspector.queue("other").delete("p-1");
    press("y");
    sees("1 of 2 tasks are deleted. First error:", "p-1");
    assertThat(inspector.queue("other").snapshot().size()).isEqualTo(1);
  }

  @Test
  void theHistoryOfAQueueIsShown() {
    press("H");
    sees("mail › history", "in 90 days 3 processed, 2 failed (66.7%)", "DAY (UTC)");
    press("q");
    sees("[1 Queues]");
  }

  @Test
  void anActiveTaskIsCancelled() {
    press(Key.Code.ENTER);
    sees("active-1", "40%");
    press("d");
    sees("cancel it first");
    press("c");
    sees("yes, then retry");
    press("y");
    sees("is being cancelled");
  }

  @Test
  void failuresAreReported() {
    press(Key.Code.ENTER);
    press("llll");
    sees("retry-1");
    press("d");
    sees("permanently?");
    inspector.queue("mail").delete("retry-1");
    press("y");
    sees("cannot find task with id=retry-1");
  }

  @Test
  void keysWorkWhileRedisHangsAndTheAgeOfTheDataIsShown() {
    server.pause();
    try {
      press("j");
      press("?");
      // Long before any call to Redis times out.
      await()
          .atMost(Duration.ofSeconds(1))
          .pollInterval(Duration.ofMillis(10))
          .until(() -> glass.shown.contains("redraw the screen"));
      press("q");
      sees("REDIS", "data is", "mail");
    } finally {
      server.resume();
    }
    sees("ping");
  }

  @Test
  void anOutageShowsABannerUntilRedisReplies() {
    server.kill();
    sees("REDIS DOES NOT ANSWER, data is", "mail", "other");
    press("P");
    press("y");
    sees("cannot connect");
    server.restart();
    sees("ping");
  }

  @Test
  void aResizeOfTheTerminalIsNoticed() {
    dashboard.happen(new DashEvent.Resized(new ScreenSize(140, 40)));
    await().until(() -> glass.shown.lines().count() == 40);
    sees("MEMORY", "PEND");
  }
}
