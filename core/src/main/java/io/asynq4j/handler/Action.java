package io.asynq4j.handler;

/**
 * A handler without an outcome: returning means success, throwing means failure. Must be
 * thread-safe.
 *
 * <pre>{@code
 * Mux.builder().run(WELCOME, (user, context) -> mailer.welcome(user)).build();
 * }</pre>
 *
 * @param <T> the input: a Java type, or {@code Task} for the raw bytes
 */
@FunctionalInterface
public interface Action<T> {

  void run(T input, TaskContext context) throws Exception;
}
