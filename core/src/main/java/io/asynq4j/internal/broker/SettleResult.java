package io.asynq4j.internal.broker;

/** Whether Redis has applied a settlement. */
public enum SettleResult {
  APPLIED,
  /** The lease is another worker's by now, or nobody's: the settlement had no effect. */
  LEASE_LOST
}
