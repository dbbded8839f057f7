package io.asynq4j.schedule;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import java.util.function.UnaryOperator;

/**
 * A task and the schedule by which it is enqueued. Immutable; two entries are equal if all their
 * values are.
 *
 * <pre>{@code
 * ScheduleEntry.of("nightly", Schedule.cron("0 3 * * *"), CLEANUP)
 *     .with(o -> o.queue("low"))
 *     .missed(MissedPolicy.runOnce());
 * }</pre>
 */
public sealed interface ScheduleEntry permits ScheduleEntryRecord {

  /**
   * Name of the entry, unique on this Redis. All replicas know the entry by it, and its progress
   * survives restarts.
   */
  String name();

  /** When the task is enqueued. */
  Schedule schedule();

  /** The task to enqueue. */
  Task task();

  /** Options of the task, such as its queue. */
  TaskOptions options();

  /** What happens to instants that no scheduler fired in time. */
  MissedPolicy missed();

  static ScheduleEntry of(String name, Schedule schedule, Task task) {
    return of(name, schedule, task, TaskOptions.defaults());
  }

  static ScheduleEntry of(String name, Schedule schedule, Task task, TaskOptions options) {
    return new ScheduleEntryRecord(name, schedule, task, options, MissedPolicy.skip());
  }

  /** Returns an entry for a task without input, with the options of its type. */
  static ScheduleEntry of(String name, Schedule schedule, TaskType<Void> type) {
    return of(name, schedule, Task.of(type.name()), type.options());
  }

  /** Returns an entry for a task with its input as JSON, and the options of its type. */
  static <T> ScheduleEntry of(String name, Schedule schedule, TaskType<T> type, T input) {
    return of(name, schedule, type, input, PayloadCodec.json());
  }

  static <T> ScheduleEntry of(
      String name, Schedule schedule, TaskType<T> type, T input, PayloadCodec codec) {
    return of(name, schedule, type.task(input, codec), type.options());
  }

  /** Returns this entry with its options overridden. */
  default ScheduleEntry with(UnaryOperator<TaskOptions.Builder> settings) {
    TaskOptions changed = options().overriddenBy(TaskOptions.of(settings));
    return new ScheduleEntryRecord(name(), schedule(), task(), changed, missed());
  }

  /** Returns this entry with another policy for missed instants. Default: {@code skip()}. */
  default ScheduleEntry missed(MissedPolicy policy) {
    return new ScheduleEntryRecord(name(), schedule(), task(), options(), policy);
  }
}
