package io.asynq4j.handler;

/**
 * Handles a task and decides its outcome. Must be thread-safe.
 *
 * <pre>{@code
 * Handler<User> welcome =
 *     (user, context) ->
 *         user.isActive() ? Outcome.done(mailer.welcome(user)) : Outcome.archive("inactive");
 * }</pre>
 *
 * @param <T> the input: a Java type, or {@code Task} for the raw bytes
 */
@FunctionalInterface
public interface Handler<T> {

  /** Handles one attempt. If it throws, the attempt failed, and the task is retried. */
  Outcome handle(T input, TaskContext context) throws Exception;
}
