package io.asynq4j;

/**
 * When a new task counts as taken in. The safer, the longer it takes; {@code
 * docs/guides/enqueueing.md} says what each survives.
 */
public enum Durability {
  /** The primary has it. What a crash or a failover loses before it was copied is lost. */
  PRIMARY,
  /** Replicas have it too, in their memory. */
  REPLICATED,
  /** The primary has it on its disk. Needs Redis 7.2 or newer with {@code appendonly yes}. */
  FSYNCED
}
