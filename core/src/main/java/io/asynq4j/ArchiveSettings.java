package io.asynq4j;

import java.time.Duration;

/**
 * How much is kept in the archive of a queue, for the builders of servers, leases and inspectors:
 * {@code .archive(a -> a.maxSize(1_000).maxAge(Duration.ofDays(30)))}. Not thread-safe.
 */
public final class ArchiveSettings {

  private int maxSize = 7_900;
  private Duration maxAge = Duration.ofDays(90);
  private boolean releaseLocks;

  /** Creates settings with the defaults; builders do it for their callers. */
  public ArchiveSettings() {}

  /**
   * Maximum number of archived tasks of a queue; the oldest are deleted. Default: 7,900. More than
   * 8,000 make a Go server fail when it trims them.
   */
  public ArchiveSettings maxSize(int tasks) {
    if (tasks < 0) {
      throw new IllegalArgumentException("maxSize must be 0 or greater, got " + tasks);
    }
    this.maxSize = tasks;
    return this;
  }

  /** How long archived tasks are kept. Default: 90 days. */
  public ArchiveSettings maxAge(Duration age) {
    if (age.isNegative() || age.isZero()) {
      throw new IllegalArgumentException("maxAge must be positive, got " + age);
    }
    this.maxAge = age;
    return this;
  }

  /** Whether archiving a unique task releases its lock. Default: false. */
  public ArchiveSettings releaseLocks(boolean release) {
    this.releaseLocks = release;
    return this;
  }

  public int maxSize() {
    return maxSize;
  }

  public Duration maxAge() {
    return maxAge;
  }

  public boolean releasesLocks() {
    return releaseLocks;
  }
}
