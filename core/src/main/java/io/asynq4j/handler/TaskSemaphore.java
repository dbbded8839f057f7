package io.asynq4j.handler;

import io.asynq4j.BrokerException;
import io.asynq4j.internal.broker.SemaphoreOperations;
import io.asynq4j.internal.redis.store.BrokerConnection;
import io.asynq4j.redis.RedisConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets only so many tasks do something at once, over the whole fleet, Go workers included. A token
 * belongs to a task until it is given back or the deadline of the attempt has passed, so none is
 * lost with its worker. A task has one token or none: one that asks again keeps the one it has, and
 * may keep it for longer. The time is that of Redis. Thread-safe.
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
    if (maxTokens < 1) {
      throw new IllegalArgumentException("a semaphore needs at least one token, got " + maxTokens);
    }
    if (scope.isBlank()) {
      throw new IllegalArgumentException("the scope of a semaphore must not be blank");
    }
    this.semaphores = semaphores;
    this.scope = scope;
    this.maxTokens = maxTokens;
  }

  /**
   * A semaphore that everybody shares who names the same scope.
   *
   * @param maxTokens how many tasks may have a token at once; all should say the same
   */
  public static TaskSemaphore create(RedisConnection redis, String scope, int maxTokens) {
    return new TaskSemaphore(BrokerConnection.brokerOf(redis).semaphores(), scope, maxTokens);
  }

  /** Takes a token, at once or not at all. */
  public boolean tryAcquire(TaskContext context) {
    return semaphores.acquire(scope, maxTokens, context.id(), context.deadline());
  }

  /** Gives the token back. False when the task has none, or none any more. */
  public boolean release(TaskContext context) {
    return semaphores.release(scope, context.id());
  }

  /**
   * Does something with a token, and gives it back; or has the task run again after this delay when
   * all tokens are taken, which costs no retry. Not to be called inside itself: the inner call
   * would give back the token of the outer one.
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

  // What the action has done counts, whether or not Redis hears that its token is free.
  private void releaseQuietly(TaskContext context) {
    try {
      release(context);
    } catch (BrokerException e) {
      log.warn(
          "task {} could not give back its token of semaphore {}; it is free at {}",
          context.id(),
          scope,
          context.deadline(),
          e);
    }
  }
}
