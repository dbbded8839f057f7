package io.asynq4j.examples;

import static java.time.Duration.ofSeconds;

import io.asynq4j.TaskType;
import io.asynq4j.handler.Mux;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;

/** Tasks that are enqueued again and again; any number of these programs may run at once. */
public final class PeriodicTasks {

  static final TaskType<Void> TICK = TaskType.of("tick");
  static final TaskType<Void> REPORT = TaskType.of("report");

  private PeriodicTasks() {}

  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch ticks = new CountDownLatch(2);
    Mux handlers =
        Mux.builder()
            .run(
                TICK,
                (none, context) -> {
                  System.out.println("tick");
                  ticks.countDown();
                })
            .build();

    Schedule nightly = Schedule.cron("30 3 * * mon-fri", ZoneId.of("Europe/Oslo"));
    try (RedisConnection redis = RedisConnection.open(arguments[0]);
        TaskServer server = TaskServer.builder(redis).handlers(handlers).build();
        Scheduler scheduler =
            Scheduler.builder(redis)
                .add("tick", Schedule.every(ofSeconds(1)), TICK)
                .add(
                    ScheduleEntry.of("nightly-report", nightly, REPORT)
                        .with(o -> o.queue("reports").maxRetry(3))
                        .missed(MissedPolicy.runOnce()))
                .build()) {
      server.start();
      scheduler.start();
      ticks.await();
    }
  }
}
