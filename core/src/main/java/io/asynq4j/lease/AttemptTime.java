package io.asynq4j.lease;

/** Whether the time of an attempt is over, see {@link TaskLeases#attemptTime}. */
public enum AttemptTime {
  /** The attempt may go on. */
  LEFT,

  /** The attempt has taken longer than the timeout or the deadline of its task allows. */
  OVER,

  /**
   * The attempt is over by the clock, but this process has not observed the clock for long enough
   * to know that it was not set forward. The attempt must end, and must not count as failed.
   */
  UNKNOWN
}
