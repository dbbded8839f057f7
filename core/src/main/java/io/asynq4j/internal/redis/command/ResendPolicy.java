package io.asynq4j.internal.redis.command;

/** Whether a call may be sent again when its result is unknown. */
public enum ResendPolicy {
  /** The call is idempotent. */
  SAFE,
  /**
   * The call carries a number by which Redis recognizes a repetition and returns the first reply.
   */
  NUMBERED,
  NEVER
}
