package io.asynq4j.spring;

import io.asynq4j.ResultTaskType;
import io.asynq4j.TaskType;
import io.asynq4j.codec.TypeRef;
import java.util.List;
import java.util.Optional;

/**
 * A bean with the task types of an application context: those of handlers with the options of their
 * {@link TaskHandler}, and beans of type {@code TaskType}. Thread-safe.
 *
 * <pre>{@code
 * client.enqueue(types.of(WelcomeEmail.class), new WelcomeEmail("ada@example.com"));
 * }</pre>
 *
 * <p>Not to be implemented by applications.
 */
public interface TaskTypes {

  /** Returns all types, sorted by name. */
  List<TaskType<?>> all();

  /** Returns the type with this name. */
  Optional<TaskType<?>> find(String name);

  /**
   * Returns the only type with this input.
   *
   * @throws IllegalArgumentException if no type has it, or several do
   */
  <T> TaskType<T> of(Class<T> input);

  /**
   * Returns the only type with this input and result.
   *
   * @throws IllegalArgumentException if no type has them, or several do
   */
  <T, R> ResultTaskType<T, R> of(Class<T> input, Class<R> result);

  /**
   * Returns the type with this name.
   *
   * @throws IllegalArgumentException if no type has this name, or it has another input
   */
  <T> TaskType<T> of(String name, Class<T> input);

  /**
   * Returns the type with this name and a generic input, such as {@code List<Order>}.
   *
   * @throws IllegalArgumentException if no type has this name, or it has another input
   */
  <T> TaskType<T> of(String name, TypeRef<T> input);
}
