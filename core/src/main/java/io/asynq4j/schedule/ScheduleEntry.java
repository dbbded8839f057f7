package io.asynq4j.schedule;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.text.ValueText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A task and when it is to be enqueued again and again. Immutable. */
public final class ScheduleEntry {

  private final String name;
  private final Schedule schedule;
  private final Task task;
  private final TaskOptions options;
  private final MissedPolicy missed;

  private ScheduleEntry(
      String name, Schedule schedule, Task task, TaskOptions options, MissedPolicy missed) {
    this.name = name;
    this.schedule = schedule;
    this.task = task;
    this.options = options;
    this.missed = missed;
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "a schedule entry needs a name, by which it is remembered: \"" + name + "\"");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException("the name of a schedule entry is no valid Unicode text");
    }
    Objects.requireNonNull(schedule, "schedule");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(missed, "missed");
  }

  /**
   * What it is remembered by, over restarts and by all replicas; of no other entry on this Redis.
   */
  public String name() {
    return name;
  }

  /** When. */
  public Schedule schedule() {
    return schedule;
  }

  /** What. */
  public Task task() {
    return task;
  }

  /** How, where to. */
  public TaskOptions options() {
    return options;
  }

  /** What becomes of instants that nobody fired in time. */
  public MissedPolicy missed() {
    return missed;
  }

  public static ScheduleEntry of(String name, Schedule schedule, Task task) {
    return new ScheduleEntry(name, schedule, task, TaskOptions.defaults(), MissedPolicy.skip());
  }

  public static ScheduleEntry of(String name, Schedule schedule, Task task, TaskOptions options) {
    return new ScheduleEntry(name, schedule, task, options, MissedPolicy.skip());
  }

  /** A task without input, with the options of its type. */
  public static ScheduleEntry of(String name, Schedule schedule, TaskType<Void> type) {
    return new ScheduleEntry(
        name, schedule, Task.of(type.name()), type.options(), MissedPolicy.skip());
  }

  /** A task with its input as JSON, and the options of its type. */
  public static <T> ScheduleEntry of(String name, Schedule schedule, TaskType<T> type, T input) {
    return of(name, schedule, type, input, PayloadCodec.json());
  }

  public static <T> ScheduleEntry of(
      String name, Schedule schedule, TaskType<T> type, T input, PayloadCodec codec) {
    return new ScheduleEntry(
        name, schedule, type.task(input, codec), type.options(), MissedPolicy.skip());
  }

  /** This entry with options over those it has. */
  public ScheduleEntry with(UnaryOperator<TaskOptions.Builder> settings) {
    return new ScheduleEntry(
        name, schedule, task, options.overriddenBy(TaskOptions.of(settings)), missed);
  }

  public ScheduleEntry missed(MissedPolicy policy) {
    return new ScheduleEntry(name, schedule, task, options, policy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ScheduleEntry that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of("ScheduleEntry", "name schedule task options missed", values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(name, schedule, task, options, missed);
  }
}
