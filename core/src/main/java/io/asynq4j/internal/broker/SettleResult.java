package io.asynq4j.internal.broker;

/** Whether Redis has applied a settlement. */
public enum SettleResult {
  APPLIED,
  /** The lease has expired or belongs to another worker: the settlement had no effect. */
  LEASE_LOST
}
