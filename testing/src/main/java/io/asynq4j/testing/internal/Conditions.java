package io.asynq4j.testing.internal;

import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The conditions of assertions. */
public final class Conditions {

  private record Simple(
      String expected, Predicate<TaskInfo> test, Function<TaskInfo, String> differing)
      implements Condition {

    @Override
    public boolean holds(TaskInfo task) {
      return test.test(task);
    }

    @Override
    public String difference(TaskInfo task) {
      return differing.apply(task);
    }
  }

  private Conditions() {}

  /** A value that is equal to the expected one. */
  public static Condition value(
      String name, Object expected, Function<TaskInfo, @Nullable Object> actual) {
    return new Simple(
        name + " " + quoted(expected),
        task -> expected.equals(actual.apply(task)),
        task -> name + " is " + quoted(actual.apply(task)));
  }

  /** Any other condition. */
  public static Condition of(String name, Predicate<TaskInfo> test) {
    return new Simple(name, test, task -> "not: " + name);
  }

  /** An input that meets a condition. Tasks whose input cannot be decoded do not. */
  public static <T> Condition input(
      TaskType<T> type, PayloadCodec codec, Predicate<? super T> test) {
    return new Simple(
        "an input that matches",
        task -> {
          try {
            return test.test(decode(type, codec, task));
          } catch (PayloadException e) {
            return false;
          }
        },
        task -> unreadable(type, codec, task, "the input does not match"));
  }

  /** An input that is equal to another. */
  public static <T> Condition payload(TaskType<T> type, PayloadCodec codec, T expected) {
    return new Simple(
        "input " + Description.input(expected),
        task -> {
          try {
            return Objects.deepEquals(expected, decode(type, codec, task));
          } catch (PayloadException e) {
            return false;
          }
        },
        task -> unreadable(type, codec, task, "the input is different"));
  }

  private static <T> String unreadable(
      TaskType<T> type, PayloadCodec codec, TaskInfo task, String otherwise) {
    try {
      return otherwise + ": " + Description.input(decode(type, codec, task));
    } catch (PayloadException e) {
      return "the input cannot be decoded: " + e.getMessage();
    }
  }

  public static <T> T decode(TaskType<T> type, PayloadCodec codec, TaskInfo task) {
    return type.input(Task.of(task.type(), task.payload(), task.headers()), codec);
  }

  /**
   * A due time. The protocol stores whole seconds, rounded up, and milliseconds if the task is
   * precise.
   */
  public static Condition due(Clock clock, Instant expected) {
    return new Simple(
        "due " + when(clock, expected),
        task -> {
          Instant due = due(task, clock);
          return due != null && (isSameMilli(due, expected) || due.equals(roundedUp(expected)));
        },
        task -> "due " + when(clock, due(task, clock)));
  }

  private static boolean isSameMilli(Instant one, Instant other) {
    return Duration.between(one, other).abs().compareTo(Duration.ofMillis(1)) < 0;
  }

  private static Instant roundedUp(Instant time) {
    Instant second = time.truncatedTo(ChronoUnit.SECONDS);
    return second.equals(time) ? time : second.plusSeconds(1);
  }

  /** A due time in a range, including its ends. */
  public static Condition due(Clock clock, Instant earliest, Instant latest) {
    return new Simple(
        "due from %s to %s".formatted(earliest, latest),
        task -> {
          Instant due = due(task, clock);
          return due != null && !due.isBefore(earliest) && !due.isAfter(latest);
        },
        task -> "due " + when(clock, due(task, clock)));
  }

  /** A pending task is due now, however long it has been pending. */
  private static @Nullable Instant due(TaskInfo task, Clock clock) {
    return task.state() == TaskState.PENDING ? clock.instant() : task.nextProcessAt();
  }

  static String when(Clock clock, @Nullable Instant time) {
    if (time == null) {
      return "at no time";
    }
    Duration left = Duration.between(clock.instant(), time);
    return left.isZero() ? "now" : "in %s (%s)".formatted(left, time);
  }

  private static String quoted(@Nullable Object value) {
    return value instanceof String ? '"' + value.toString() + '"' : String.valueOf(value);
  }
}
