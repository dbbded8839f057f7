package io.asynq4j.server;

import static io.asynq4j.server.ServerFixture.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asynq4j.RetryPolicy;
import io.asynq4j.TaskState;
import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.TaskContext;
import io.asynq4j.inspect.TaskPage;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/**
 * Many tasks, each of a kind that decides what its handler does, and a model of where each must be
 * in the end.
 */
class StressIT {

  private static final boolean FULL = Boolean.getBoolean("asynq4j.full");
  private static final int TASKS = FULL ? 1_000_000 : 20_000;

  /** One of this many tasks takes a second or two; at least a hundred of them do. */
  private static final int RARE = FULL ? 1_000 : 200;

  @RegisterExtension static final ServerFixture world = new ServerFixture();

  /** What a task does, and its expected state afterwards. */
  private enum Kind {
    SUCCEEDS(TaskState.COMPLETED, 0, 1),
    FAILS_TWICE(TaskState.COMPLETED, 2, 3),
    FAILS_ALWAYS(TaskState.ARCHIVED, 2, 3),
    ARCHIVED(TaskState.ARCHIVED, 0, 1),
    DROPPED(null, 0, 1),
    SNOOZES_ONCE(TaskState.COMPLETED, 0, 2),
    TIMES_OUT(TaskState.ARCHIVED, 0, 1),
    IS_CANCELLED(TaskState.ARCHIVED, 0, 1),
    GETS_STUCK(TaskState.ARCHIVED, 0, 1),
    LOSES_ITS_LEASE(TaskState.COMPLETED, 0, 2);

    final @Nullable TaskState end;
    final int retried;
    final int runs;

    /** Without a state it must be gone. */
    Kind(@Nullable TaskState end, int retried, int runs) {
      this.end = end;
      this.retried = retried;
      this.runs = runs;
    }

    Duration timeout() {
      return Duration.ofSeconds(this == TIMES_OUT || this == GETS_STUCK ? 1 : 60);
    }

    int maxRetry() {
      return switch (this) {
        case TIMES_OUT, IS_CANCELLED, GETS_STUCK -> 0;
        case FAILS_ALWAYS -> 2;
        default -> 5;
      };
    }
  }

  private static final String GONE = "gone";

  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final Set<String> givenUp = ConcurrentHashMap.newKeySet();

  private static Kind kind(String id) {
    return Kind.valueOf(id.substring(0, id.indexOf(' ')));
  }

  private Outcome handle(TaskContext context) throws InterruptedException {
    int run = runs.computeIfAbsent(context.id(), any -> new AtomicInteger()).incrementAndGet();
    return switch (kind(context.id())) {
      case SUCCEEDS -> Outcome.done();
      case FAILS_TWICE -> run <= 2 ? Outcome.retry("run " + run) : Outcome.done();
      case FAILS_ALWAYS -> throw new IllegalStateException("run " + run);
      case ARCHIVED -> Outcome.archive("for good");
      case DROPPED -> Outcome.drop();
      case SNOOZES_ONCE -> run == 1 ? Outcome.snooze(Duration.ofMillis(10)) : Outcome.done();
      case TIMES_OUT -> waitForInterrupt();
      case IS_CANCELLED -> {
        // Repeated, since a server that has just started may not be subscribed yet.
        CountDownLatch never = new CountDownLatch(1);
        do {
          world.broker().cancellations().publish(context.id());
        } while (!never.await(200, TimeUnit.MILLISECONDS));
        yield Outcome.done();
      }
      case GETS_STUCK -> {
        // Ignores interrupts until it exceeds its time limit and the grace period, and is
        // abandoned.
        while (!givenUp.contains(context.id())) {
          LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
          boolean unused = Thread.interrupted();
        }
        yield Outcome.done();
      }
      case LOSES_ITS_LEASE -> {
        if (run == 1) {
          try (Jedis jedis = world.jedis()) {
            jedis.zrem("asynq:{default}:lease", context.id());
          }
          yield Outcome.archive("must have no effect");
        }
        yield Outcome.done();
      }
    };
  }

  private static Outcome waitForInterrupt() throws InterruptedException {
    new CountDownLatch(1).await();
    return Outcome.done();
  }

  private List<NewTask> tasks() {
    Random random = new Random(42);
    List<Kind> common =
        List.of(
            Kind.SUCCEEDS,
            Kind.SUCCEEDS,
            Kind.SUCCEEDS,
            Kind.FAILS_TWICE,
            Kind.FAILS_ALWAYS,
            Kind.ARCHIVED,
            Kind.DROPPED,
            Kind.SNOOZES_ONCE);
    List<Kind> rare =
        List.of(Kind.TIMES_OUT, Kind.IS_CANCELLED, Kind.GETS_STUCK, Kind.LOSES_ITS_LEASE);
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      List<Kind> from = i % RARE == 0 ? rare : common;
      Kind kind = from.get(random.nextInt(from.size()));
      tasks.add(
          world.task(
              kind + " " + i,
              options ->
                  options
                      .maxRetry(kind.maxRetry())
                      .retention(Duration.ofHours(1))
                      .timeout(kind.timeout())));
    }
    return tasks;
  }

  private static long left() {
    Map<TaskState, Long> sizes = world.queues().snapshot(Q).sizes();
    return sizes.getOrDefault(TaskState.PENDING, 0L)
        + sizes.getOrDefault(TaskState.ACTIVE, 0L)
        + sizes.getOrDefault(TaskState.SCHEDULED, 0L)
        + sizes.getOrDefault(TaskState.RETRY, 0L);
  }

  private static void read(TaskState state, Map<String, String> into) {
    String cursor = null;
    do {
      TaskPage page = world.tasks().list(Q, new Listing(state, null, false, 0, 1_000, cursor));
      page.tasks().forEach(info -> into.put(info.id(), info.state() + " " + info.retried()));
      cursor = page.cursor();
    } while (cursor != null);
  }

  @Test
  void everyTaskIsWhereTheModelPredicts() {
    List<NewTask> tasks = tasks();
    for (int i = 0; i < 2; i++) {
      world.start(
          world
              .quick((task, context) -> handle(context))
              .concurrency(40)
              .listener(
                  new ServerListener() {
                    @Override
                    public void settled(TaskRef task, Outcome outcome, Duration after) {
                      if (kind(task.id()) == Kind.GETS_STUCK) {
                        givenUp.add(task.id());
                      }
                    }
                  })
              // Only selected tasks lose their leases, however busy the machine is.
              .timing(timing -> timing.lease(Duration.ofSeconds(60)))
              .crashes(crashes -> crashes.goGrace(Duration.ZERO))
              .archive(archive -> archive.maxSize(1_000_000))
              .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(10))));
    }
    world.broker().enqueueing().enqueue(tasks);

    await().atMost(Duration.ofMinutes(4 + TASKS / 50_000)).until(() -> left() == 0);
    Map<String, String> found = new HashMap<>();
    read(TaskState.COMPLETED, found);
    read(TaskState.ARCHIVED, found);
    List<String> wrong = new ArrayList<>();
    for (NewTask task : tasks) {
      String id = task.message().id();
      Kind kind = kind(id);
      String expected =
          (kind.end == null ? GONE : kind.end + " " + kind.retried) + ", runs " + kind.runs;
      String actual = found.getOrDefault(id, GONE) + ", runs " + runs.get(id);
      if (!actual.equals(expected)) {
        wrong.add(id + ": " + actual + ", not " + expected);
      }
    }
    assertThat(wrong).isEmpty();
  }
}
