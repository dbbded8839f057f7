package io.asynq4j.testing;

import static java.util.Objects.requireNonNull;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.testing.internal.Condition;
import io.asynq4j.testing.internal.Conditions;
import io.asynq4j.testing.internal.Description;
import io.asynq4j.testing.internal.StoredTasks;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.opentest4j.AssertionFailedError;

/**
 * Enqueued tasks of a type that meet all conditions so far. Each method that adds a condition
 * checks it at once, and fails if no task is left; {@link #once} and {@link #times} check the
 * number. Not thread-safe.
 *
 * <pre>{@code
 * WelcomeEmail mail =
 *     tasks.assertEnqueued(WELCOME_EMAIL).inQueue("mail").dueIn(ofHours(24)).once().payload();
 * }</pre>
 *
 * @param <T> the Java type of the input
 */
public final class EnqueuedTasks<T> {

  private final TaskType<T> type;
  private final PayloadCodec codec;
  private final Clock clock;
  private final Description description;
  private final List<TaskInfo> candidates;
  private final List<Condition> conditions = new ArrayList<>();

  EnqueuedTasks(
      TaskType<T> type,
      Set<TaskState> states,
      StoredTasks stored,
      Clock clock,
      PayloadCodec codec) {
    this.type = requireNonNull(type, "type");
    this.codec = codec;
    this.clock = clock;
    List<TaskInfo> all = stored.all();
    this.description = new Description(type.name(), states, all, clock, stored.hint());
    this.candidates =
        all.stream()
            .filter(task -> task.type().equals(type.name()) && states.contains(task.state()))
            .toList();
    requireAny();
  }

  static void refute(
      TaskType<?> type,
      Set<TaskState> states,
      StoredTasks stored,
      Clock clock,
      Condition condition) {
    List<TaskInfo> found =
        stored.all().stream()
            .filter(task -> task.type().equals(type.name()) && states.contains(task.state()))
            .filter(condition::holds)
            .toList();
    if (!found.isEmpty()) {
      throw new AssertionFailedError(
          "Expected no task %s, found %d:%s"
              .formatted(type.name(), found.size(), Description.lines(found, clock)));
    }
  }

  static void refuteAny(Set<TaskState> states, StoredTasks stored, Clock clock) {
    List<TaskInfo> found =
        stored.all().stream().filter(task -> states.contains(task.state())).toList();
    if (!found.isEmpty()) {
      throw new AssertionFailedError(
          "Expected no task, found %d:%s".formatted(found.size(), Description.lines(found, clock)));
    }
  }

  private EnqueuedTasks<T> require(Condition condition) {
    conditions.add(condition);
    requireAny();
    return this;
  }

  private void requireAny() {
    if (matching().isEmpty()) {
      throw new AssertionFailedError(description.missing(candidates, conditions));
    }
  }

  private List<TaskInfo> matching() {
    return candidates.stream()
        .filter(task -> conditions.stream().allMatch(condition -> condition.holds(task)))
        .toList();
  }

  // ---- conditions

  /** Asserts that the input meets a condition. */
  public EnqueuedTasks<T> with(Predicate<? super T> input) {
    return require(Conditions.input(type, codec, requireNonNull(input, "input")));
  }

  /** Asserts that the input is equal to this one. */
  public EnqueuedTasks<T> withPayload(T expected) {
    return require(Conditions.payload(type, codec, expected));
  }

  /** Asserts the queue. */
  public EnqueuedTasks<T> inQueue(String queue) {
    return require(Conditions.value("queue", requireNonNull(queue), task -> task.queue().value()));
  }

  /** Asserts the group. */
  public EnqueuedTasks<T> inGroup(String group) {
    return require(Conditions.value("group", requireNonNull(group), TaskInfo::group));
  }

  /** Asserts the state. */
  public EnqueuedTasks<T> inState(TaskState state) {
    return require(Conditions.value("state", requireNonNull(state), TaskInfo::state));
  }

  /** Asserts the ID. */
  public EnqueuedTasks<T> withId(String id) {
    return require(Conditions.value("id", requireNonNull(id), TaskInfo::id));
  }

  /** Asserts a header. */
  public EnqueuedTasks<T> withHeader(String name, String value) {
    return require(
        Conditions.value(
            "header " + name, requireNonNull(value), task -> task.headers().get(name)));
  }

  /** Asserts that the task is due this long after the current time of the test. */
  public EnqueuedTasks<T> dueIn(Duration delay) {
    return require(Conditions.due(clock, clock.instant().plus(delay)));
  }

  /** Asserts that the task is due at this time, rounded up to the whole second. */
  public EnqueuedTasks<T> dueAt(Instant time) {
    return require(Conditions.due(clock, requireNonNull(time)));
  }

  /**
   * Asserts that the task is due in this range from the current time of the test, such as a retry
   * whose delay is partly random.
   */
  public EnqueuedTasks<T> dueBetween(Duration earliest, Duration latest) {
    Instant now = clock.instant();
    if (earliest.compareTo(latest) > 0) {
      throw new IllegalArgumentException(
          "the earliest time must not be after the latest, got %s and %s"
              .formatted(earliest, latest));
    }
    return require(Conditions.due(clock, now.plus(earliest), now.plus(latest)));
  }

  /** Asserts that the task can run now. */
  public EnqueuedTasks<T> dueNow() {
    return inState(TaskState.PENDING);
  }

  /** Asserts that the task holds a unique lock. */
  public EnqueuedTasks<T> unique() {
    return require(Conditions.value("unique", true, task -> !task.uniqueKey().isEmpty()));
  }

  /** Asserts the maximum number of retries. */
  public EnqueuedTasks<T> maxRetry(int retries) {
    return require(Conditions.value("maxRetry", retries, TaskInfo::maxRetry));
  }

  /** Asserts the number of retries so far. */
  public EnqueuedTasks<T> retried(int retries) {
    return require(Conditions.value("retried", retries, TaskInfo::retried));
  }

  /** Asserts the time limit of an attempt. */
  public EnqueuedTasks<T> timeout(Duration timeout) {
    return require(Conditions.value("timeout", requireNonNull(timeout), TaskInfo::timeout));
  }

  /** Asserts the deadline. */
  public EnqueuedTasks<T> deadline(Instant deadline) {
    return require(Conditions.value("deadline", requireNonNull(deadline), TaskInfo::deadline));
  }

  /** Asserts how long the task is kept after success. */
  public EnqueuedTasks<T> retention(Duration retention) {
    return require(Conditions.value("retention", requireNonNull(retention), TaskInfo::retention));
  }

  /** Asserts that a value of the task, such as its last error, meets a condition. */
  public EnqueuedTasks<T> where(String name, Predicate<TaskInfo> condition) {
    return require(Conditions.of(name, requireNonNull(condition)));
  }

  // ---- number and values

  /** Asserts that exactly one task meets the conditions. */
  public EnqueuedTasks<T> once() {
    return times(1);
  }

  /** Asserts that exactly this many tasks meet the conditions; at least one. */
  public EnqueuedTasks<T> times(int expected) {
    if (expected < 1) {
      throw new IllegalArgumentException(
          "times must be 1 or greater, got %d: use refuteEnqueued(%s) for none"
              .formatted(expected, type.name()));
    }
    List<TaskInfo> found = matching();
    if (found.size() != expected) {
      throw new AssertionFailedError(
          description.wrongNumber(expected, found, candidates, conditions), expected, found.size());
    }
    return this;
  }

  /** Returns the tasks, in the order of queues and, within a queue, of execution. */
  public List<TaskInfo> tasks() {
    return matching();
  }

  /** Returns the inputs of {@link #tasks}. */
  public List<T> payloads() {
    return matching().stream().map(this::decoded).toList();
  }

  /**
   * Returns the only task.
   *
   * @throws AssertionError if there are several
   */
  public TaskInfo task() {
    return once().tasks().get(0);
  }

  /**
   * Returns the input of the only task.
   *
   * @throws AssertionError if there are several
   */
  public T payload() {
    return decoded(task());
  }

  private T decoded(TaskInfo task) {
    return Conditions.decode(type, codec, task);
  }

  /** Returns the tasks, one line each. */
  @Override
  public String toString() {
    return Objects.toString(type) + Description.lines(matching(), clock);
  }
}
