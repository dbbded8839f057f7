package io.asynq4j.cli.dev;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.handler.Mux;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.server.GroupAggregator.Aggregated;
import java.time.Clock;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handles demo tasks: prints each attempt, and sleeps or fails on request. Thread-safe. */
final class DemoHandler {

  static final TaskType<Hello> HELLO = TaskType.of("demo:hello", Hello.class);
  static final TaskType<Void> BROKEN = TaskType.of("demo:broken");
  static final TaskType<Void> ITEM = TaskType.of("demo:item");
  static final TaskType<Batch> BATCH = TaskType.of("demo:batch", Batch.class);

  /** Number of progress reports of a slow task. */
  private static final int STEPS = 4;

  /**
   * Payload of a demo task.
   *
   * @param sleepMillis duration of the attempt
   * @param failures number of attempts that fail before one succeeds
   */
  record Hello(long sleepMillis, int failures) {}

  /** Number of tasks of a group that were merged. */
  record Batch(String group, int items) {}

  private final Clock clock;
  private final @Nullable DevConsole screen;

  /**
   * @param screen where attempts are printed; null for nowhere
   */
  DemoHandler(Clock clock, @Nullable DevConsole screen) {
    this.clock = clock;
    this.screen = screen;
  }

  Mux mux() {
    return Mux.builder()
        .handle(
            HELLO.name(),
            (task, context) ->
                handle(
                    task.payload().size() == 0
                        ? new Hello(0, 0)
                        : HELLO.input(task, context.codec()),
                    context))
        .handle(
            BROKEN,
            (nothing, context) ->
                ended(context, Outcome.retry("demo: always fails"), "failed, as it always does"))
        .handle(
            ITEM, (nothing, context) -> ended(context, Outcome.done(), "done, not part of a group"))
        .handle(
            BATCH,
            (batch, context) ->
                ended(context, Outcome.done(), "done with %d items".formatted(batch.items())))
        .build();
  }

  /** Merges items into one batch. */
  static Aggregated aggregate(QueueName queue, String group, List<Task> tasks) {
    return Aggregated.of(BATCH.task(new Batch(group, tasks.size()), PayloadCodec.json()));
  }

  private Outcome handle(Hello hello, TaskContext context) throws InterruptedException {
    for (int step = 1; step <= STEPS && hello.sleepMillis() > 0; step++) {
      Thread.sleep(Math.max(1, hello.sleepMillis() / STEPS));
      context.progress(100 * step / STEPS, "slept");
    }
    boolean fails = context.retryCount() < hello.failures();
    String time = hello.sleepMillis() > 0 ? " after " + hello.sleepMillis() + " ms" : "";
    return fails
        ? ended(context, Outcome.retry("demo: failure requested"), "failed as requested" + time)
        : ended(context, Outcome.done(), "done" + time);
  }

  private Outcome ended(TaskContext context, Outcome outcome, String how) {
    if (screen != null) {
      screen.line(
          "%s %s %s attempt %d: %s"
              .formatted(
                  LocalTime.ofInstant(clock.instant(), ZoneId.systemDefault())
                      .truncatedTo(ChronoUnit.SECONDS),
                  context.type(),
                  context.id(),
                  context.retryCount() + 1,
                  how));
    }
    return outcome;
  }
}
