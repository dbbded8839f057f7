package io.asynq4j.client;

import io.asynq4j.PayloadCodec;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A task that is to be enqueued, with its options: one of many for {@link TaskClient#enqueueAll}.
 * Its input is encoded and its options are looked at when it is enqueued, so that an invalid one
 * fails alone. Safe to share between threads if its input is.
 */
public final class EnqueueRequest {

  @FunctionalInterface
  private interface Encoder {
    Task task(PayloadCodec codec);
  }

  @FunctionalInterface
  private interface Settings {
    TaskOptions options();
  }

  private final Encoder encoder;
  private final Settings settings;

  private EnqueueRequest(Encoder encoder, Settings settings) {
    this.encoder = encoder;
    this.settings = settings;
  }

  public static EnqueueRequest of(Task task) {
    return of(task, TaskOptions.defaults());
  }

  public static EnqueueRequest of(Task task, TaskOptions options) {
    return new EnqueueRequest(
        codec -> Objects.requireNonNull(task, "there is no task to enqueue: it is null"),
        () -> Objects.requireNonNull(options, "the options are null; leave them out instead"));
  }

  public static EnqueueRequest of(Task task, UnaryOperator<TaskOptions.Builder> options) {
    return new EnqueueRequest(
        codec -> Objects.requireNonNull(task, "there is no task to enqueue: it is null"),
        () -> TaskOptions.of(options));
  }

  public static EnqueueRequest of(TaskType<Void> type) {
    return new EnqueueRequest(codec -> Task.of(type.name()), type::options);
  }

  public static <T> EnqueueRequest of(TaskType<T> type, T input) {
    return new EnqueueRequest(codec -> type.task(input, codec), type::options);
  }

  /** Options of the call win over those of the type. */
  public static <T> EnqueueRequest of(
      TaskType<T> type, T input, UnaryOperator<TaskOptions.Builder> options) {
    return new EnqueueRequest(
        codec -> type.task(input, codec),
        () -> type.options().overriddenBy(TaskOptions.of(options)));
  }

  Task task(PayloadCodec codec) {
    return encoder.task(codec);
  }

  TaskOptions options() {
    return settings.options();
  }
}
