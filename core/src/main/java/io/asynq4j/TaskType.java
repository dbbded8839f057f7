package io.asynq4j;

import io.asynq4j.internal.codec.PayloadConverter;
import io.asynq4j.internal.codec.TextValidator;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A kind of task with the Java type of its input: declared once, as a constant, and used by whoever
 * enqueues and whoever handles it. Immutable and safe to share between threads.
 *
 * <p>An input of type {@link Payload} or {@code byte[]} travels as it is, one of type {@link Void}
 * not at all; everything else through a {@link PayloadCodec}.
 *
 * @param name the type's name on the wire, such as {@code email:welcome}
 * @param input the Java type of the input
 * @param options what holds for every task of this type unless a call says otherwise
 */
public record TaskType<T>(String name, Class<T> input, TaskOptions options) {

  public TaskType {
    TextValidator.requireNotBlank(name, "task type");
    TextValidator.requireValidUnicode(name, "task type");
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(options, "options");
  }

  public static <T> TaskType<T> of(String name, Class<T> input) {
    return new TaskType<>(name, input, TaskOptions.defaults());
  }

  /** A type without input. */
  public static TaskType<Void> of(String name) {
    return of(name, Void.class);
  }

  /** This type with options over those it has. */
  public TaskType<T> with(UnaryOperator<TaskOptions.Builder> settings) {
    return new TaskType<>(name, input, options.overriddenBy(TaskOptions.of(settings)));
  }

  /** The task with this input, as bytes. */
  public Task task(T value, PayloadCodec codec) {
    return Task.of(name, PayloadConverter.encode(value, input, codec));
  }

  /** The input of a task of this type. */
  public T input(Task task, PayloadCodec codec) {
    return PayloadConverter.decode(task, input, codec);
  }

  @Override
  public String toString() {
    return name;
  }
}
