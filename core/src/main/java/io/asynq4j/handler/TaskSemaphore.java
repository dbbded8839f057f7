package io.asynq4j.handler;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.broker.SemaphoreOperations;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how many tasks do something at the same time, across all servers including Go workers. A
 * task holds a token until it releases it or the deadline of its attempt has passed, so no token is
 * lost with its worker. A task holds at most one token: acquiring again extends it. Times are by
 * the clock of Redis. Thread-safe.
 *
 * <pre>{@code
 * .handle(SYNC, (account, context) ->
 *     semaphore.run(context, ofSeconds(10), () -> Outcome.done(api.sync(account))))
 * }</pre>
 */
public final class TaskSemaphore {

  private static final Logger log = LoggerFactory.getLogger(TaskSemaphore.class);

  private final SemaphoreOperations semaphores;
  private final String scope;
  private final int maxTokens;

  TaskSemaphore(SemaphoreOperations semaphores, String scope, int maxTokens) {
    requireAtLeast(1, maxTokens, "the number of tokens of a semaphore");
    require(!scope.isBlank(), "the scope of a semaphore must not be blank");
    this.semaphores = semaphores;
    this.scope = scope;
    this.maxTokens = maxTokens;
  }

  /**
   * Creates a semaphore. All semaphores of the same scope share their tokens.
   *
   * @param maxTokens maximum number of tasks with a token; should be the same everywhere
   */
  public static TaskSemaphore create(RedisConnection redis, String scope, int maxTokens) {
    return new TaskSemaphore(BrokerConnection.brokerOf(redis).semaphores(), scope, maxTokens);
  }

  /** Acquires a token without waiting. Returns whether the task has one. */
  public boolean tryAcquire(TaskContext context) {
    return semaphores.acquire(scope, maxTokens, context.id(), context.deadline());
  }

  /** Releases the token. Returns false if the task has none, or none any more. */
  public boolean release(TaskContext context) {
    return semaphores.release(scope, context.id());
  }

  /**
   * Runs an action with a token. If no token is free, the task is snoozed for the delay, which uses
   * up no retry. Calls must not be nested: the inner call would release the token of the outer.
   */
  public Outcome run(TaskContext context, Duration delay, Callable<Outcome> action)
      throws Exception {
    if (!tryAcquire(context)) {
      return Outcome.snooze(delay);
    }
    try {
      return action.call();
    } finally {
      releaseQuietly(context);
    }
  }

  // The outcome of the action counts even if the token cannot be released.
  private void releaseQuietly(TaskContext context) {
    try {
      release(context);
    } catch (BrokerException e) {
      log.warn(
          "task {} could not release its token of semaphore {}; the token expires at {}",
          context.id(),
          scope,
          context.deadline(),
          e);
    }
  }
}
