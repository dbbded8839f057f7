package io.asynq4j;

import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.codec.TypeRef;
import io.asynq4j.internal.codec.PayloadConverter;
import io.asynq4j.internal.codec.TextValidator;
import java.lang.reflect.Type;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A task type: its name and the Java type of its input. Declare it once, as a constant, for the
 * code that enqueues its tasks and the code that handles them. Immutable and safe to share between
 * threads.
 *
 * <pre>{@code
 * static final TaskType<WelcomeEmail> WELCOME_EMAIL =
 *     TaskType.of("email:welcome", WelcomeEmail.class).with(o -> o.queue("mail").maxRetry(5));
 * static final TaskType<List<Order>> EXPORT = TaskType.of("export", new TypeRef<>() {});
 * static final TaskType<Void> CLEANUP = TaskType.of("cleanup");
 * static final ResultTaskType<Image, Thumbnail> RESIZE =
 *     TaskType.of("image:resize", Image.class).returning(Thumbnail.class);
 * }</pre>
 *
 * <p>Inputs of type {@link Payload} and {@code byte[]} are sent unchanged, and {@link Void} means
 * no payload. A {@link PayloadCodec} encodes all other inputs.
 *
 * <p>Two types are equal if their name, input, options and retry policy are.
 *
 * @param <T> the Java type of the input
 */
public sealed class TaskType<T> permits ResultTaskType {

  private final String name;
  private final Type input;
  private final TaskOptions options;
  private final @Nullable RetryPolicy retryPolicy;

  TaskType(String name, Type input, TaskOptions options, @Nullable RetryPolicy retryPolicy) {
    this.name = TextValidator.requireName(name, "task type");
    this.input = Objects.requireNonNull(input, "input");
    this.options = Objects.requireNonNull(options, "options");
    this.retryPolicy = retryPolicy;
  }

  public static <T> TaskType<T> of(String name, Class<T> input) {
    return new TaskType<>(name, input, TaskOptions.defaults(), null);
  }

  /** Returns a type with a generic input, such as {@code new TypeRef<List<Order>>() {}}. */
  public static <T> TaskType<T> of(String name, TypeRef<T> input) {
    return new TaskType<>(name, input.type(), TaskOptions.defaults(), null);
  }

  /** Returns a type without input. */
  public static TaskType<Void> of(String name) {
    return of(name, Void.class);
  }

  /** Returns this type with its options overridden. */
  public TaskType<T> with(UnaryOperator<TaskOptions.Builder> settings) {
    return with(TaskOptions.of(settings));
  }

  /** Returns this type with its options overridden. */
  public TaskType<T> with(TaskOptions settings) {
    return new TaskType<>(name, input, options.overriddenBy(settings), retryPolicy);
  }

  /**
   * Returns this type with a retry policy. A server uses it if a handler is registered with this
   * type in its {@code Mux}. It takes precedence over the server's general policy, but not over a
   * central task definition or the server's policy for this type.
   */
  public TaskType<T> retryPolicy(RetryPolicy policy) {
    return new TaskType<>(name, input, options, Objects.requireNonNull(policy, "policy"));
  }

  /** Returns this type with the Java type of its result. */
  public <R> ResultTaskType<T, R> returning(Class<R> result) {
    return new ResultTaskType<>(name, input, options, retryPolicy, result);
  }

  /** Returns this type with a generic type of its result. */
  public <R> ResultTaskType<T, R> returning(TypeRef<R> result) {
    return new ResultTaskType<>(name, input, options, retryPolicy, result.type());
  }

  /** Returns the name, such as {@code email:welcome}. */
  public final String name() {
    return name;
  }

  /** Returns the Java type of the input. */
  public final Type input() {
    return input;
  }

  /** Returns the default options for tasks of this type. */
  public final TaskOptions options() {
    return options;
  }

  /** Returns the retry policy; empty for the one of the server. */
  public final Optional<RetryPolicy> retryPolicy() {
    return Optional.ofNullable(retryPolicy);
  }

  /** Returns a task with the encoded input. */
  public final Task task(T value, PayloadCodec codec) {
    return Task.of(name, PayloadConverter.encode(value, input, codec));
  }

  /**
   * Decodes the input of a task of this type.
   *
   * @throws PayloadException if the payload cannot be decoded
   */
  // The decoded value has the type of the constructor argument, and is null only for Void.
  @SuppressWarnings({"unchecked", "NullAway"})
  public final T input(Task task, PayloadCodec codec) {
    return (T) PayloadConverter.decode(task.type(), "payload", task.payload(), input, codec);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TaskType<?> that
        && getClass() == that.getClass()
        && name.equals(that.name)
        && input.equals(that.input)
        && options.equals(that.options)
        && Objects.equals(retryPolicy, that.retryPolicy);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, input, options, retryPolicy);
  }

  /** Returns the name. */
  @Override
  public final String toString() {
    return name;
  }
}
