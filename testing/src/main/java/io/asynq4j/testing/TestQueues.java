package io.asynq4j.testing;

import static java.util.Objects.requireNonNull;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.handler.Handler;
import io.asynq4j.handler.Outcome;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.schedule.Scheduler;
import io.asynq4j.server.TaskServer;
import io.asynq4j.server.TaskServerBuilder;
import io.asynq4j.testing.internal.Condition;
import io.asynq4j.testing.internal.Conditions;
import io.asynq4j.testing.internal.StoredTasks;
import io.asynq4j.testing.internal.TestRedis;
import io.asynq4j.testing.internal.TestWorker;
import io.asynq4j.testing.internal.TimeMachine;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The queues as a test sees them: asserts what was enqueued, runs handlers on the calling thread,
 * and moves the clock. Not thread-safe.
 *
 * <pre>{@code
 * signUp.register("ada@example.com");
 * tasks.assertEnqueued(WELCOME_EMAIL).with(mail -> mail.language().equals("en")).inQueue("mail").once();
 * tasks.advance(ofDays(1));
 * tasks.drain().assertSucceeded();
 * }</pre>
 */
public final class TestQueues {

  private static final Set<TaskState> WAITING =
      EnumSet.of(TaskState.PENDING, TaskState.SCHEDULED, TaskState.RETRY, TaskState.AGGREGATING);

  private final TestRedis process;
  private final RedisConnection redis;
  private final StoredTasks stored;
  private final TimeMachine time;
  private @Nullable Handler<Task> handlers;
  private Consumer<TaskServerBuilder> server = builder -> {};
  private @Nullable TestWorker worker;
  private volatile boolean closed;
  private int mostAttempts = 100_000;

  TestQueues(TestRedis process, RedisConnection redis, Supplier<String> hint) {
    this.process = process;
    this.redis = redis;
    this.stored = new StoredTasks(process, hint);
    this.time = new TimeMachine(process, () -> worker().config());
  }

  void begin(@Nullable Handler<Task> newHandlers, Consumer<TaskServerBuilder> settings) {
    handlers = newHandlers;
    server = settings;
    worker = null;
    time.forgetSchedulers();
  }

  /** Sets the number of attempts of a drain that is taken for an endless loop. */
  void mostAttempts(int attempts) {
    mostAttempts = attempts;
  }

  /** Ends the use of the process, which another environment gets. */
  void close() {
    closed = true;
  }

  private TestRedis process() {
    if (closed) {
      throw new IllegalStateException(
          "the environment of these queues is closed: use the parameters of the running test, or start a new environment");
    }
    return process;
  }

  // ---- what was enqueued

  /**
   * Asserts that a task of this type waits: it is pending, scheduled, in retry or in a group. Each
   * call on the result asserts more.
   *
   * @throws AssertionError if there is none, with the nearest tasks and their differences
   */
  public <T> EnqueuedTasks<T> assertEnqueued(TaskType<T> type) {
    return new EnqueuedTasks<>(type, WAITING, stored, process().clock(), redis.codec());
  }

  /** Asserts that a task of this type waits, see {@link #assertEnqueued(TaskType)}. */
  public EnqueuedTasks<Payload> assertEnqueued(String type) {
    return assertEnqueued(TaskType.of(type, Payload.class));
  }

  /** Asserts that a task of this type is archived. Each call on the result asserts more. */
  public <T> EnqueuedTasks<T> assertArchived(TaskType<T> type) {
    return new EnqueuedTasks<>(
        type, EnumSet.of(TaskState.ARCHIVED), stored, process().clock(), redis.codec());
  }

  /**
   * Asserts that a task of this type has completed and is kept for its retention. Each call on the
   * result asserts more.
   */
  public <T> EnqueuedTasks<T> assertCompleted(TaskType<T> type) {
    return new EnqueuedTasks<>(
        type, EnumSet.of(TaskState.COMPLETED), stored, process().clock(), redis.codec());
  }

  /** Asserts that no task of this type waits. */
  public void refuteEnqueued(TaskType<?> type) {
    // Whatever its input is, even if it cannot be decoded.
    refute(type, Conditions.of("any", task -> true));
  }

  /** Asserts that no task of this type waits. */
  public void refuteEnqueued(String type) {
    refuteEnqueued(TaskType.of(type, Payload.class));
  }

  /** Asserts that no task of this type with such an input waits. */
  public <T> void refuteEnqueued(TaskType<T> type, Predicate<? super T> input) {
    requireNonNull(input, "input");
    refute(type, Conditions.input(type, redis.codec(), input));
  }

  private void refute(TaskType<?> type, Condition condition) {
    EnqueuedTasks.refute(type, WAITING, stored, process().clock(), condition);
  }

  /** Asserts that no task of any type waits. */
  public void refuteAnyEnqueued() {
    EnqueuedTasks.refuteAny(WAITING, stored, process().clock());
  }

  // ---- running handlers

  /** Sets the handlers that {@link #perform} and {@link #drain} call. */
  public TestQueues handlers(Handler<Task> newHandlers) {
    handlers = requireNonNull(newHandlers, "handlers");
    worker = null;
    return this;
  }

  /** Sets how outcomes are applied, see {@link AsynqTestEnvironment.Builder#server}. */
  public TestQueues server(Consumer<TaskServerBuilder> settings) {
    server = requireNonNull(settings, "settings");
    worker = null;
    return this;
  }

  private TestWorker worker() {
    TestRedis redisOfTest = process();
    TestWorker current = worker;
    if (current == null) {
      TaskServerBuilder builder = TaskServer.builder(redis);
      if (handlers != null) {
        builder.handlers(handlers);
      }
      server.accept(builder);
      current = new TestWorker(redisOfTest, builder);
      worker = current;
    }
    return current;
  }

  /**
   * Calls the handler of this type once, with its middleware, on the calling thread. Nothing is
   * enqueued or settled. Returns the outcome that a server would apply: an archive instead of a
   * retry if no retries are left, and for an exception what the retry policy decides.
   *
   * @throws IllegalStateException if no handlers are set, or none has this type
   */
  public <T> Outcome perform(TaskType<T> type, @Nullable T input) {
    return attempt(type, input, attempt -> {}).outcome();
  }

  /** Calls the handler of a type without input once, see {@link #perform(TaskType, Object)}. */
  public Outcome perform(TaskType<Void> type) {
    return perform(type, null);
  }

  /**
   * Calls the handler once, see {@link #perform(TaskType, Object)}: {@code perform(TYPE, input, a
   * -> a.retried(3).header("tenant", "7"))}.
   */
  public <T> Outcome perform(
      TaskType<T> type, @Nullable T input, Consumer<AttemptOptions> options) {
    return attempt(type, input, options).outcome();
  }

  /**
   * Calls the handler once, as {@link #perform(TaskType, Object, Consumer)}, and also returns what
   * it threw and reported. The input is null for a type without one.
   */
  // Void has no other value.
  @SuppressWarnings("NullAway")
  public <T> AttemptResult attempt(
      TaskType<T> type, @Nullable T input, Consumer<AttemptOptions> options) {
    AttemptOptions given = new AttemptOptions();
    options.accept(given);
    Task task = type.task(input, redis.codec());
    return worker().perform(task, given.over(type.options()), given.retried(), given.cancel());
  }

  /**
   * Runs the tasks that are pending now, one after the other on the calling thread, as a server
   * with one worker would, and returns a report of all attempts. Tasks that these enqueue are left:
   * see {@link DrainReport#recursively}.
   *
   * <p>The task that has been pending longest is first; of those that became pending at the same
   * time, those of the first queue by name. Paused queues, rate limits, orders and limits of queues
   * apply. Groups that are ready are aggregated first.
   *
   * @param queues the queues to process; none for all
   * @throws AssertionError that a handler or an aggregator has thrown, after the attempt was
   *     settled or the tasks have returned to their group
   * @throws IllegalStateException if no handlers are set
   */
  public DrainReport drain(String... queues) {
    DrainReport report =
        new DrainReport(
            worker(), time, process(), Stream.of(queues).map(QueueName::of).toList(), mostAttempts);
    report.drainOnce();
    return report;
  }

  /** Runs pending tasks, and those that they enqueue, until the condition holds. */
  public DrainReport drainUntil(BooleanSupplier condition) {
    return new DrainReport(worker(), time, process(), List.of(), mostAttempts).until(condition);
  }

  // ---- time

  /** Returns the current time of the test. It stands still until a test moves it. */
  public Instant now() {
    return process().now();
  }

  /**
   * Moves the clock forward. On the way, due tasks become pending, leases of crashed workers and
   * retention end, locks, rate limits and semaphores expire, and the entries of {@link #scheduler}
   * fire, each at its time. Handlers are not called: use {@link #drain} afterwards.
   */
  public TestQueues advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(
          "the duration must not be negative, got " + duration + ": time only moves forward");
    }
    process();
    time.moveTo(time.after(duration));
    return this;
  }

  /**
   * Moves the clock to an instant from 1971 to 2249, as {@link #advance} does. It can be set back
   * only while Redis is empty.
   */
  public TestQueues at(Instant instant) {
    requireNonNull(instant, "instant");
    process();
    time.moveTo(instant);
    return this;
  }

  /**
   * Fires the entries of this scheduler whenever the clock is moved. The scheduler must be built on
   * the connection of the test.
   *
   * @throws IllegalStateException if the scheduler was started
   */
  public TestQueues scheduler(Scheduler scheduler) {
    process();
    time.add(requireNonNull(scheduler, "scheduler"));
    return this;
  }

  // ---- faults

  /** Lets the next opportunity for this fault fail. */
  public TestQueues failNext(Fault fault) {
    return failNext(fault, 1);
  }

  /** Lets the next opportunities for this fault fail. */
  public TestQueues failNext(Fault fault, int times) {
    requireNonNull(fault, "fault");
    if (times < 1) {
      throw new IllegalArgumentException("times must be 1 or greater, got " + times);
    }
    process().faults().add(fault, times);
    return this;
  }

  /** Returns the requested faults that have not happened yet. */
  public List<Fault> pendingFaults() {
    return process().faults().left();
  }
}
