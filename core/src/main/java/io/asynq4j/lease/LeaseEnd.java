package io.asynq4j.lease;

/** What became of a task whose lease was to end. */
public enum LeaseEnd {
  COMPLETED,
  /** It waits for its next attempt. */
  RETRIED,
  /** It was given up, as asked for or because its retries are used up. */
  ARCHIVED,
  SNOOZED,
  RELEASED,
  DROPPED,
  /** The lease is another worker's by now, or nobody's: nothing was changed. */
  LEASE_LOST;

  public boolean isLost() {
    return this == LEASE_LOST;
  }
}
