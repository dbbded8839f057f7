package io.asynq4j.client;

import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskType;
import io.asynq4j.codec.PayloadCodec;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A task to enqueue, with its options: one of many for {@link Enqueuer#enqueueAll}. Its input is
 * encoded and its options are validated when it is enqueued, so that an invalid request fails
 * alone. Safe to share between threads if its input is.
 *
 * <p>Implementations of {@link Enqueuer} enqueue {@link #task} with {@link #options}. Tests can
 * assert {@link #type} and {@link #input}.
 */
public final class EnqueueRequest {

  private final @Nullable Task task;
  private final @Nullable TaskType<?> type;
  private final @Nullable Object input;
  private final Function<PayloadCodec, Task> encoder;
  private final Supplier<TaskOptions> options;

  private EnqueueRequest(@Nullable Task task, Supplier<TaskOptions> options) {
    this.task = task;
    this.type = null;
    this.input = null;
    this.encoder = codec -> requireTask(task);
    this.options = options;
  }

  private <T> EnqueueRequest(TaskType<T> type, T input, Supplier<TaskOptions> options) {
    this.task = null;
    this.type = Objects.requireNonNull(type, "type");
    this.input = input;
    this.encoder = codec -> type.task(input, codec);
    this.options = options;
  }

  private static Task requireTask(@Nullable Task task) {
    return Objects.requireNonNull(task, "the task to enqueue is null");
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

  /** Returns a request for a task without input. */
  public static EnqueueRequest of(TaskType<Void> type) {
    return of(type, TaskOptions.defaults());
  }

  /** Returns a request for a task without input. These options override those of the type. */
  // Void has no other value.
  @SuppressWarnings("NullAway")
  public static EnqueueRequest of(TaskType<Void> type, TaskOptions options) {
    return new EnqueueRequest(
        type, (Void) null, () -> type.options().overriddenBy(required(options)));
  }

  public static <T> EnqueueRequest of(TaskType<T> type, T input) {
    return new EnqueueRequest(type, input, () -> type.options());
  }

  /** Returns a request whose options override those of the type. */
  public static <T> EnqueueRequest of(
      TaskType<T> type, T input, UnaryOperator<TaskOptions.Builder> options) {
    return new EnqueueRequest(
        type, input, () -> type.options().overriddenBy(TaskOptions.of(options)));
  }

  private static TaskOptions required(TaskOptions options) {
    return Objects.requireNonNull(options, "the options are null; omit them instead");
  }

  /** Returns the name of the task type, such as {@code email:welcome}. */
  public String type() {
    return type == null ? requireTask(task).type() : type.name();
  }

  /** Returns the type of the request; empty if it was created with a {@link Task}. */
  public Optional<TaskType<?>> taskType() {
    return Optional.ofNullable(type);
  }

  /**
   * Returns the input before it is encoded; the payload if the request was created with a {@link
   * Task}. Null for a type without input.
   */
  public @Nullable Object input() {
    return type == null ? requireTask(task).payload() : input;
  }

  /**
   * Returns the task with its encoded input.
   *
   * @throws io.asynq4j.codec.PayloadException if the input cannot be encoded
   */
  public Task task(PayloadCodec codec) {
    return encoder.apply(codec);
  }

  /**
   * Returns the options of the type, overridden by those of the request.
   *
   * @throws IllegalArgumentException if options contradict each other or one is out of range
   */
  public TaskOptions options() {
    return options.get();
  }

  /** Returns the type only, to keep inputs out of logs. */
  @Override
  public String toString() {
    return "EnqueueRequest[" + (type == null && task == null ? "no task" : type()) + "]";
  }
}
