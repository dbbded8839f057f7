package io.asynq4j.internal.redis.command;

/** Whether a call may be sent again when it is not known if Redis has done it. */
public enum ResendPolicy {
  /** Doing it twice is the same as doing it once. */
  SAFE,
  /**
   * It carries a number by which Redis recognises it, and answers what it answered the first time.
   */
  NUMBERED,
  NEVER
}
