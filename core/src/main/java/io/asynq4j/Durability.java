package io.asynq4j;

/**
 * When a task counts as enqueued. Safer levels take longer; {@code docs/guides/enqueueing.md}
 * describes which failures each of them survives.
 */
public enum Durability {
  /** The primary has the task. A crash or failover before it is replicated loses it. */
  PRIMARY,
  /** Replicas have the task too, in memory. */
  REPLICATED,
  /** The primary has the task on disk. Needs Redis 7.2 or newer with {@code appendonly yes}. */
  FSYNCED
}
