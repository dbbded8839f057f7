package io.asynq4j.dashboard;

import static org.awaitility.Awaitility.await;

import io.asynq4j.Payload;
import io.asynq4j.RetryPolicy;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A Redis with all kinds of data, and a running server and scheduler. */
final class SampleData implements AutoCloseable {

  private final CountDownLatch end = new CountDownLatch(1);
  private final TaskServer server;
  private final Scheduler scheduler;
  private final DashboardFixture on;

  SampleData(DashboardFixture on) {
    this.on = on;
    server =
        TaskServer.builder(on.redis)
            .queue("mail", 6)
            .queue("reports", 3)
            .queue("media", 1)
            .concurrency(12)
            .timing(timing -> timing.heartbeat(Duration.ofMillis(500)))
            .retryPolicy(RetryPolicy.fixed(Duration.ofMinutes(20)))
            .handlers(
                (task, context) -> {
                  switch (task.type()) {
                    case "video:encode" -> end.await();
                    case "email:bounce" ->
                        throw new IllegalStateException(
                            "550 mailbox unavailable: user-" + context.id() + "@example.com");
                    case "invoice:pdf" ->
                        throw new IllegalArgumentException("no template for country \"XX\"");
                    default -> {}
                  }
                  return Outcome.done();
                })
            .build();
    scheduler =
        Scheduler.builder(on.redis)
            .heartbeat(Duration.ofSeconds(1))
            .add("nightly-report", Schedule.cron("30 2 * * *"), Task.of("report:nightly"))
            .add("cleanup", Schedule.every(Duration.ofMinutes(15)), Task.of("cleanup:sessions"))
            .build();
    scheduler.start();
    server.start();
    fill(on);
    await()
        .until(
            () ->
                on.inspector.queue("mail").snapshot().size(TaskState.RETRY) == 14
                    && on.inspector.queue("reports").snapshot().size(TaskState.ARCHIVED) == 9
                    && on.inspector.queue("media").snapshot().size(TaskState.ACTIVE) == 3
                    && on.inspector.queue("mail").snapshot().size(TaskState.COMPLETED) == 40);
  }

  /** For pictures, some of the past: tasks that come and go for a while. */
  void addHistory() {
    if (!Browser.takesPictures()) {
      return;
    }
    for (int second = 0; second < 45; second++) {
      for (int i = 0; i < 8 + 6 * Math.abs(second % 20 - 10) / 3; i++) {
        int n = second * 100 + i;
        enqueue(
            on,
            "mail",
            n % 17 == 0 ? "email:bounce" : "email:welcome",
            "later-" + n,
            "{\"user\":{\"id\":" + n + ",\"name\":\"Ada\"},\"locale\":\"en\"}",
            "completed");
      }
      try {
        // The passing time must be visible.
        Thread.sleep(1_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void fill(DashboardFixture on) {
    for (int i = 0; i < 40; i++) {
      enqueue(
          on,
          "mail",
          "email:welcome",
          "welcome-" + i,
          "{\"user\":{\"id\":" + (4_200 + i) + ",\"name\":\"Ada\"},\"locale\":\"en\"}",
          "completed");
    }
    for (int i = 0; i < 14; i++) {
      enqueue(
          on,
          "mail",
          "email:bounce",
          "bounce-" + i,
          "{\"to\":\"user-" + i + "@example.com\",\"attempt\":12345678901234567890}",
          "retry");
    }
    for (int i = 0; i < 9; i++) {
      enqueue(
          on,
          "reports",
          "invoice:pdf",
          "invoice-" + i,
          "{\"invoice\":"
              + i
              + ",\"country\":\"XX\",\"lines\":[{\"sku\":\"A-1\",\"n\":3},{\"sku\":\"B-2\",\"n\":1}]}",
          "archived");
    }
    for (int i = 0; i < 3; i++) {
      enqueue(
          on,
          "media",
          "video:encode",
          "video-" + i,
          "{\"source\":\"clip-" + i + ".mov\",\"height\":1080}",
          "active");
    }
    for (int i = 0; i < 120; i++) {
      enqueue(
          on,
          "billing",
          "charge:card",
          "charge-" + i,
          "{\"amount\":" + (100 + i) + ",\"currency\":\"EUR\"}",
          "pending");
    }
    for (int i = 0; i < 30; i++) {
      enqueue(on, "mail", "email:digest", "digest-" + i, "{\"week\":" + i + "}", "scheduled");
    }
    for (int i = 0; i < 8; i++) {
      enqueue(on, "notify", "push:send", "push-" + i, "{\"device\":" + i + "}", "aggregating");
    }
    on.client
        .enqueue(
            Task.of("blob:store", Payload.of(new byte[] {0, 1, 2, (byte) 200, 'a', 'b'})),
            o -> o.queue("billing").id("blob"))
        .orThrow();
    on.inspector.queue("billing").pause();
  }

  private static void enqueue(
      DashboardFixture on, String queue, String type, String id, String json, String state) {
    on.client
        .enqueue(
            Task.of(type, Payload.ofUtf8(json)),
            o -> {
              o.queue(queue).id(id).timeout(Duration.ofMinutes(5)).header("tenant", "acme");
              switch (state) {
                case "completed" -> o.retention(Duration.ofHours(24));
                case "archived" -> o.maxRetry(0);
                case "scheduled" -> o.processIn(Duration.ofHours(3));
                case "aggregating" -> o.group("device");
                default -> {}
              }
              return o;
            })
        .orThrow();
  }

  @Override
  public void close() {
    end.countDown();
    server.close();
    scheduler.close();
  }
}
