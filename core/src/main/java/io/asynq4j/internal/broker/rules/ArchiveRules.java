package io.asynq4j.internal.broker.rules;

import io.asynq4j.ArchiveSettings;
import java.time.Duration;

/**
 * Limits of a queue's archive.
 *
 * @param maxSize the oldest tasks beyond this are deleted
 * @param maxAge older tasks are deleted
 * @param releaseLocks whether archiving a unique task releases its lock at once
 */
public record ArchiveRules(int maxSize, Duration maxAge, boolean releaseLocks) {

  /** What happens when an operator archives a task into a full archive. */
  public enum WhenFull {
    /** The task keeps its state. */
    REFUSE,
    /** The oldest archived tasks are deleted. */
    DROP_OLDEST
  }

  /** The limits of the Go implementation. */
  public static final ArchiveRules GO = new ArchiveRules(9_999, Duration.ofDays(90), false);

  /**
   * Lower than the limits of the Go implementation: when all tasks have expired, a Go server trims
   * them at once, and fails with 8,000.
   */
  public static final ArchiveRules DEFAULT = of(new ArchiveSettings());

  public static ArchiveRules of(ArchiveSettings settings) {
    return new ArchiveRules(settings.maxSize(), settings.maxAge(), settings.releasesLocks());
  }
}
