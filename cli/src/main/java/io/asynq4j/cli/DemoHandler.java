package io.asynq4j.cli;

import io.asynq4j.PayloadCodec;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.broker.NewTask;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.redis.RedisConnection;
import java.time.Clock;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Handles demo tasks: shows each, and is slow or fails when asked to. Thread-safe. */
final class DemoHandler implements Handler<DemoHandler.Hello> {

  static final TaskType<Hello> HELLO = TaskType.of("demo:hello", Hello.class);

  /**
   * What a demo task asks for.
   *
   * @param sleepMillis how long it takes
   * @param failures how many attempts fail before one succeeds
   */
  record Hello(long sleepMillis, int failures) {}

  private static final List<Hello> SOME =
      List.of(
          new Hello(0, 0),
          new Hello(0, 0),
          new Hello(500, 0),
          new Hello(2_000, 0),
          new Hello(0, 1));

  private final Clock clock;
  private final Screen screen;

  DemoHandler(Clock clock, Screen screen) {
    this.clock = clock;
    this.screen = screen;
  }

  /** Quick, slow and failing ones. Returns how many. */
  static int enqueueSome(RedisConnection redis, String queue) {
    List<NewTask> tasks =
        SOME.stream()
            .map(
                hello ->
                    NewTask.of(
                        HELLO.task(hello, PayloadCodec.json()),
                        TaskOptions.of(options -> options.queue(queue)),
                        redis.clock().instant()))
            .toList();
    return redis.broker().sink().enqueue(tasks).size();
  }

  @Override
  public Outcome handle(Hello hello, TaskContext context) throws InterruptedException {
    if (hello.sleepMillis() > 0) {
      Thread.sleep(hello.sleepMillis());
    }
    boolean fails = context.retryCount() < hello.failures();
    String how = fails ? "fails, as it was asked to" : "done";
    String time = hello.sleepMillis() > 0 ? " after " + hello.sleepMillis() + " ms" : "";
    screen.line(
        "%s %s %s attempt %d: %s%s"
            .formatted(
                LocalTime.ofInstant(clock.instant(), ZoneId.systemDefault())
                    .truncatedTo(ChronoUnit.SECONDS),
                context.type(),
                context.id(),
                context.retryCount() + 1,
                how,
                time));
    return fails ? Outcome.retry("asked to fail") : Outcome.done();
  }
}
