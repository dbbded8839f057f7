package io.asynq4j.handler;

/**
 * Handles a task and says what is to become of it. Called by many threads at once.
 *
 * @param <T> the input: a Java type, or {@code Task} for whoever wants the bytes
 */
@FunctionalInterface
public interface Handler<T> {

  /** An exception means that the attempt failed; the task is tried again as its options say. */
  Outcome handle(T input, TaskContext context) throws Exception;
}
