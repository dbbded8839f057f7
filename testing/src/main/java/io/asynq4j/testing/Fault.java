package io.asynq4j.testing;

/** A failure that {@link TestQueues#failNext} causes, to test that code is idempotent. */
public enum Fault {
  /**
   * The worker crashes after it has claimed a task and before its handler is called. The task stays
   * active until its lease expires.
   */
  AFTER_CLAIM,
  /**
   * The worker crashes after its handler has returned and before the outcome is settled. The task
   * stays active until its lease expires, and then runs again.
   */
  BEFORE_SETTLE,
  /**
   * Redis enqueues the tasks of the next call, and its reply is lost. The caller gets a {@code
   * BrokerUnavailableException} that reports that they may have been enqueued.
   */
  REPLY_LOST,
  /**
   * The next call on the connection finds no Redis. The caller gets a {@code
   * BrokerUnavailableException} that reports that nothing was applied.
   */
  REDIS_DOWN
}
