package io.asynq4j;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import java.time.Duration;

/**
 * Limits of the archive of each queue, for the builders of servers, leases and inspectors: {@code
 * .archive(a -> a.maxSize(1_000).maxAge(Duration.ofDays(30)))}. Not thread-safe.
 */
public final class ArchiveSettings {

  private int maxSize = 7_900;
  private Duration maxAge = Duration.ofDays(90);
  private boolean releaseLocks;

  /** Creates settings with the defaults. Builders call it. */
  public ArchiveSettings() {}

  /**
   * Maximum number of archived tasks per queue; the oldest are deleted. Default: 7,900. Go servers
   * cannot trim an archive of more than 8,000 tasks.
   */
  public ArchiveSettings maxSize(int tasks) {
    requireAtLeast(0, tasks, "maxSize");
    this.maxSize = tasks;
    return this;
  }

  /** How long archived tasks are kept. Default: 90 days. */
  public ArchiveSettings maxAge(Duration age) {
    require(age.compareTo(Duration.ZERO) > 0, "maxAge must be positive, got " + age);
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
