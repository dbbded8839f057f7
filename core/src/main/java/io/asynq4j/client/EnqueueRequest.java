package io.asynq4j.client;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A task that is to be enqueued, with its options: one of many for {@link Enqueuer#enqueueAll}. Its
 * input is encoded and its options are checked when it is enqueued, so that an invalid one fails
 * alone. Safe to share between threads if its input is.
 *
 * <p>Implementations of {@link Enqueuer} read it: {@link #task} and {@link #options} are what is to
 * be enqueued, {@link #type} and {@link #input} are for assertions in tests.
 */
public final class EnqueueRequest {

  @FunctionalInterface
  private interface Settings {
    TaskOptions options();
  }

  private final @Nullable Task task;
  private final @Nullable TaskType<?> type;
  private final @Nullable Object input;
  private final Encoder encoder;
  private final Settings settings;

  @FunctionalInterface
  private interface Encoder {
    Task task(PayloadCodec codec);
  }

  private EnqueueRequest(@Nullable Task task, Settings settings) {
    this.task = task;
    this.type = null;
    this.input = null;
    this.encoder = codec -> requireTask(task);
    this.settings = settings;
  }

  private <T> EnqueueRequest(TaskType<T> type, T input, Settings settings) {
    this.task = null;
    this.type = Objects.requireNonNull(type, "type");
    this.input = input;
    this.encoder = codec -> type.task(input, codec);
    this.settings = settings;
  }

  private static Task requireTask(@Nullable Task task) {
    return Objects.requireNonNull(task, "there is no task to enqueue: it is null");
  }

  public static EnqueueRequest of(Task task) {
    return of(task, TaskOptions.defaults());
  }

  public static EnqueueRequest of(Task task, TaskOptions options) {
    return new EnqueueRequest(task, () -> required(options));
  }

  public static EnqueueRequest of(Task task, UnaryOperator<TaskOptions.Builder> options) {
    return new EnqueueRequest(task, () -> TaskOptions.of(options));
  }

  /** A task without input. */
  public static EnqueueRequest of(TaskType<Void> type) {
    return withoutInput(type, TaskOptions.defaults());
  }

  /** A task without input. Options of the call win over those of the type. */
  public static EnqueueRequest of(TaskType<Void> type, TaskOptions options) {
    return withoutInput(type, options);
  }

  // There is no other value of Void.
  @SuppressWarnings("NullAway")
  private static EnqueueRequest withoutInput(TaskType<Void> type, TaskOptions options) {
    return new EnqueueRequest(
        type, (Void) null, () -> type.options().overriddenBy(required(options)));
  }

  public static <T> EnqueueRequest of(TaskType<T> type, T input) {
    return new EnqueueRequest(type, input, () -> type.options());
  }

  /** Options of the call win over those of the type. */
  public static <T> EnqueueRequest of(
      TaskType<T> type, T input, UnaryOperator<TaskOptions.Builder> options) {
    return new EnqueueRequest(
        type, input, () -> type.options().overriddenBy(TaskOptions.of(options)));
  }

  private static TaskOptions required(TaskOptions options) {
    return Objects.requireNonNull(options, "the options are null; leave them out instead");
  }

  /** The name of the task type, such as {@code email:welcome}. */
  public String type() {
    return type == null ? requireTask(task).type() : type.name();
  }

  /** The type that the request was made with; empty when it was made with a {@link Task}. */
  public Optional<TaskType<?>> taskType() {
    return Optional.ofNullable(type);
  }

  /**
   * The input before it is encoded; of a request that was made with a {@link Task}, its payload.
   * Null for a type without input.
   */
  public @Nullable Object input() {
    return type == null ? requireTask(task).payload() : input;
  }

  /**
   * The task with its input as bytes.
   *
   * @throws io.asynq4j.codec.PayloadException if the input cannot be encoded
   */
  public Task task(PayloadCodec codec) {
    return encoder.task(codec);
  }

  /**
   * The options of the type with those of the call over them.
   *
   * @throws IllegalArgumentException if they contradict each other or one is out of range
   */
  public TaskOptions options() {
    return settings.options();
  }

  /** The type only: inputs do not belong in logs. */
  @Override
  public String toString() {
    return "EnqueueRequest[" + (type == null && task == null ? "no task" : type()) + "]";
  }
}
