package io.asynq4j.internal.broker.rules;

import io.asynq4j.ArchiveSettings;
import java.time.Duration;

/**
 * How much is kept in a queue's archive.
 *
 * @param maxSize the oldest beyond this are deleted
 * @param maxAge older ones are deleted
 * @param releaseLocks whether archiving a unique task lets an equal one in at once
 */
public record ArchiveRules(int maxSize, Duration maxAge, boolean releaseLocks) {

  /** What becomes of a task that an operator archives into an archive that is full. */
  public enum WhenFull {
    /** It stays where it is. */
    REFUSE,
    /** The oldest archived tasks are deleted. */
    DROP_OLDEST
  }

  /** What the original keeps. */
  public static final ArchiveRules GO = new ArchiveRules(9_999, Duration.ofDays(90), false);

  /**
   * Fewer than the original keeps: when all have grown old, a Go server trims them at once, and
   * with 8,000 it fails.
   */
  public static final ArchiveRules DEFAULT = of(new ArchiveSettings());

  public static ArchiveRules of(ArchiveSettings settings) {
    return new ArchiveRules(settings.maxSize(), settings.maxAge(), settings.releasesLocks());
  }

  public ArchiveRules {
    if (maxSize < 0) {
      throw new IllegalArgumentException("maxSize must not be negative: " + maxSize);
    }
    if (maxAge.isNegative() || maxAge.isZero()) {
      throw new IllegalArgumentException("maxAge must be positive: " + maxAge);
    }
  }
}
