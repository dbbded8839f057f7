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
 * A kind of task with the Java type of its input: declared once, as a constant, and used by the
 * code that enqueues it and the code that handles it. Immutable and safe to share between threads.
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
 * <p>An input of type {@link Payload} or {@code byte[]} travels as it is, one of type {@link Void}
 * not at all; everything else through a {@link PayloadCodec}.
 *
 * <p>Two types are equal when their name, input, options and retry policy are.
 *
 * @param <T> the Java type of the input
 */
public sealed class TaskType<T> permits ResultTaskType {

  private final String name;
  private final Type input;
  private final TaskOptions options;
  private final @Nullable RetryPolicy retryPolicy;

  TaskType(String name, Type input, TaskOptions options, @Nullable RetryPolicy retryPolicy) {
    this.name =
        TextValidator.requireValidUnicode(
            TextValidator.requireNotBlank(name, "task type"), "task type");
    this.input = Objects.requireNonNull(input, "input");
    this.options = Objects.requireNonNull(options, "options");
    this.retryPolicy = retryPolicy;
  }

  public static <T> TaskType<T> of(String name, Class<T> input) {
    return new TaskType<>(name, input, TaskOptions.defaults(), null);
  }

  /** A type with a generic input, such as {@code new TypeRef<List<Order>>() {}}. */
  public static <T> TaskType<T> of(String name, TypeRef<T> input) {
    return new TaskType<>(name, input.type(), TaskOptions.defaults(), null);
  }

  /** A type without input. */
  public static TaskType<Void> of(String name) {
    return of(name, Void.class);
  }

  /** This type with options over those it has. */
  public TaskType<T> with(UnaryOperator<TaskOptions.Builder> settings) {
    return with(TaskOptions.of(settings));
  }

  /** This type with options over those it has. */
  public TaskType<T> with(TaskOptions settings) {
    return new TaskType<>(name, input, options.overriddenBy(settings), retryPolicy);
  }

  /**
   * This type with the delays between attempts. A server uses them where a handler is registered
   * with this type in its {@code Mux}. The server's own policy for the type and that of a central
   * task definition win over it; it wins over the server's policy for all types.
   */
  public TaskType<T> retryPolicy(RetryPolicy policy) {
    return new TaskType<>(name, input, options, Objects.requireNonNull(policy, "policy"));
  }

  /** This type with the Java type of its result. */
  public <R> ResultTaskType<T, R> returning(Class<R> result) {
    return new ResultTaskType<>(name, input, options, retryPolicy, result);
  }

  /** This type with a generic type of its result. */
  public <R> ResultTaskType<T, R> returning(TypeRef<R> result) {
    return new ResultTaskType<>(name, input, options, retryPolicy, result.type());
  }

  /** The type's name on the wire, such as {@code email:welcome}. */
  public final String name() {
    return name;
  }

  /** The Java type of the input. */
  public final Type input() {
    return input;
  }

  /** What holds for every task of this type unless a call says otherwise. */
  public final TaskOptions options() {
    return options;
  }

  /** The delays between attempts; empty where the type leaves them to the server. */
  public final Optional<RetryPolicy> retryPolicy() {
    return Optional.ofNullable(retryPolicy);
  }

  /** The task with this input, as bytes. */
  public final Task task(T value, PayloadCodec codec) {
    return Task.of(name, PayloadConverter.encode(value, input, codec));
  }

  /**
   * The input of a task of this type.
   *
   * @throws PayloadException if the payload is no such input
   */
  // What is decoded is of the type that the constructor was given, and null only for Void.
  @SuppressWarnings({"unchecked", "NullAway"})
  public final T input(Task task, PayloadCodec codec) {
    return (T) PayloadConverter.decode(task, input, codec);
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

  /** The name. */
  @Override
  public final String toString() {
    return name;
  }
}
