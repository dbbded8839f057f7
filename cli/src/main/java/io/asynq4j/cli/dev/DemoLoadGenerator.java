package io.asynq4j.cli.dev;

import io.asynq4j.BrokerException;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.dev.DemoHandler.Hello;
import io.asynq4j.client.EnqueueRequest;
import io.asynq4j.client.EnqueueResult;
import io.asynq4j.client.TaskClient;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues demo tasks of all kinds: a few at the start, and optionally a constant rate until {@link
 * #close}. Thread-safe.
 */
final class DemoLoadGenerator implements AutoCloseable {

  static final List<String> QUEUES = List.of("critical", "default", "low");

  private static final Pattern RATE = Pattern.compile("(\\d{1,5}(?:\\.\\d+)?)(?:/s)?");
  private static final Duration ROUND = Duration.ofMillis(100);
  private static final Duration KEPT = Duration.ofMinutes(10);

  private static final List<Hello> SOME =
      List.of(
          new Hello(0, 0),
          new Hello(0, 0),
          new Hello(500, 0),
          new Hello(2_000, 0),
          new Hello(0, 1));

  private final TaskClient client;
  private final double perSecond;
  private final ScheduledExecutorService rounds = Executors.newSingleThreadScheduledExecutor();
  private final @Nullable Scheduler scheduler;
  private final AtomicLong enqueued = new AtomicLong();
  private @Nullable ScheduledFuture<?> ticking;
  private long next;
  private double owed;

  private DemoLoadGenerator(TaskClient client, double perSecond, @Nullable Scheduler scheduler) {
    this.client = client;
    this.perSecond = perSecond;
    this.scheduler = scheduler;
  }

  /** {@code 20/s}, {@code 0.5/s} or just {@code 20}. */
  static double rate(String text) {
    Matcher matcher = RATE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches() || Double.parseDouble(matcher.group(1)) <= 0) {
      throw CliException.usage(
          "Invalid --load '%s': expected a number of tasks per second".formatted(text),
          "Use a format such as 20/s.");
    }
    return Double.parseDouble(matcher.group(1));
  }

  static int weight(String queue) {
    return switch (queue) {
      case "critical" -> 6;
      case "low" -> 1;
      default -> 3;
    };
  }

  static DemoLoadGenerator start(
      RedisConnection redis, String queue, double perSecond, DevConsole screen) {
    DemoLoadGenerator load =
        new DemoLoadGenerator(
            TaskClient.create(redis), perSecond, perSecond > 0 ? scheduler(redis) : null);
    load.enqueue(
        SOME.stream()
            .map(hello -> EnqueueRequest.of(DemoHandler.HELLO, hello, o -> o.queue(queue)))
            .toList());
    screen.line(load.enqueued() + " demo tasks enqueued");
    if (load.scheduler != null) {
      load.scheduler.start();
      screen.line(
          "enqueueing %s tasks per second into %s".formatted(perSecond, String.join(", ", QUEUES)));
      load.begin();
    }
    return load;
  }

  private static Scheduler scheduler(RedisConnection redis) {
    return Scheduler.builder(redis)
        .add(
            ScheduleEntry.of(
                    "demo-tick",
                    Schedule.every(Duration.ofSeconds(10)),
                    DemoHandler.HELLO,
                    new Hello(100, 0))
                .with(o -> o.queue("critical").retention(KEPT)))
        .add(
            ScheduleEntry.of("demo-minutely", Schedule.cron("* * * * *"), Task.of("demo:broken"))
                .with(o -> o.queue("low").maxRetry(1)))
        .build();
  }

  private void begin() {
    ticking =
        rounds.scheduleAtFixedRate(
            this::round, ROUND.toMillis(), ROUND.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void round() {
    try {
      owed += perSecond * ROUND.toMillis() / 1000;
      int count = (int) owed;
      owed -= count;
      if (count > 0) {
        enqueue(IntStream.range(0, count).mapToObj(i -> request(next++)).toList());
      }
    } catch (BrokerException e) {
      // The status line shows the outage; the load continues afterwards.
      owed = 0;
    }
  }

  private void enqueue(List<EnqueueRequest> requests) {
    enqueued.addAndGet(
        client.enqueueAll(requests).stream().filter(EnqueueResult::isEnqueued).count());
  }

  /**
   * Of every twenty tasks one is broken, one is scheduled, two fail first and three are grouped.
   */
  private static EnqueueRequest request(long number) {
    String queue = QUEUES.get((int) (number % QUEUES.size()));
    int kind = (int) (number % 20);
    return switch (kind) {
      case 0 -> EnqueueRequest.of(Task.of("demo:broken"), options(queue, o -> o.maxRetry(2)));
      case 1 -> hello(new Hello(50, 0), queue, o -> o.processIn(Duration.ofSeconds(30)));
      case 2, 3 -> hello(new Hello(0, kind - 1), queue, o -> o);
      case 4, 5, 6 ->
          EnqueueRequest.of(Task.of("demo:item"), options(queue, o -> o.group("demo-group")));
      case 7 -> hello(new Hello(1_000, 0), queue, o -> o.retention(KEPT));
      default ->
          hello(
              new Hello(kind % 3 * 20L, 0),
              queue,
              o -> o.retention(KEPT).header("demo-number", Long.toString(number)));
    };
  }

  private static EnqueueRequest hello(
      Hello hello, String queue, UnaryOperator<TaskOptions.Builder> more) {
    return EnqueueRequest.of(DemoHandler.HELLO, hello, o -> more.apply(o.queue(queue)));
  }

  private static TaskOptions options(String queue, UnaryOperator<TaskOptions.Builder> more) {
    return TaskOptions.of(o -> more.apply(o.queue(queue)));
  }

  long enqueued() {
    return enqueued.get();
  }

  @Override
  public void close() {
    if (ticking != null) {
      ticking.cancel(/* mayInterruptIfRunning= */ false);
    }
    rounds.shutdown();
    if (scheduler != null) {
      scheduler.close();
    }
    client.close();
  }
}
