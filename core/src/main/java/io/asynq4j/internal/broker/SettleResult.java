package io.asynq4j.internal.broker;

/** What Redis says to a settlement. */
public enum SettleResult {
  DONE,
  /** The lease is another worker's by now, or nobody's: the settlement had no effect. */
  LEASE_LOST
}
