package io.asynq4j.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;
import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;
import static io.asynq4j.internal.codec.ArgumentValidator.requireNotNegative;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.doctor.ScanPosition;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the doctor examines and repairs: {@code DoctorOptions.repair().queue("mail").build()}.
 * Immutable.
 */
public sealed interface DoctorOptions {

  /** The queues to examine; empty for all queues and entries that belong to none. */
  Set<QueueName> queues();

  /** Whether findings are repaired. A repair alone never deletes a task. */
  boolean repairs();

  /** Whether unreadable tasks are deleted instead of archived. */
  boolean removesUnreadable();

  /** Whether tasks beyond the limits of archives are deleted. */
  boolean trimsArchives();

  /** The maximum number of tasks in an archive. */
  int archiveMaxSize();

  /** The maximum age of tasks in an archive. */
  Duration archiveMaxAge();

  /** The delay between the two examinations: a task in transition is consistent after it. */
  Duration lookAgainAfter();

  /** The maximum number of IDs per finding. */
  int sampleSize();

  /** Where an earlier scan was stopped; null to start at the beginning. */
  @Nullable String resumeFrom();

  /** Returns options to examine everything and change nothing. */
  static Builder dryRun() {
    return new Builder(false);
  }

  /** Returns options to examine everything and repair findings, without deleting tasks. */
  static Builder repair() {
    return new Builder(true);
  }

  /** Builds {@link DoctorOptions}. Not thread-safe. */
  final class Builder {
    private final boolean repairs;
    private final Set<QueueName> queues = new TreeSet<>();
    private boolean removesUnreadable;
    private boolean trimsArchives;
    // Tasks that Go keeps are not an overflow, although our servers keep fewer.
    private int archiveMaxSize = ArchiveRules.GO.maxSize();
    private Duration archiveMaxAge = ArchiveRules.GO.maxAge();
    private Duration lookAgainAfter = Duration.ofSeconds(1);
    private int sampleSize = 20;
    private @Nullable String resumeFrom;

    private Builder(boolean repairs) {
      this.repairs = repairs;
    }

    /** Examines only this queue. Repeatable. */
    public Builder queue(QueueName name) {
      queues.add(name);
      return this;
    }

    /** As {@link #queue(QueueName)}. */
    public Builder queue(String name) {
      return queue(QueueName.of(name));
    }

    /** Deletes unreadable tasks instead of archiving them. */
    public Builder removeUnreadable() {
      removesUnreadable = true;
      return this;
    }

    /**
     * Limits of archives; tasks beyond them are reported. Default: asynq's 9,999 tasks, 90 days.
     */
    public Builder archiveLimits(int maxSize, Duration maxAge) {
      archiveMaxSize = maxSize;
      archiveMaxAge = maxAge;
      return this;
    }

    /**
     * Deletes the oldest tasks beyond {@link #archiveLimits}. Set the limits of your servers: the
     * doctor does not know them.
     */
    public Builder trimArchives() {
      trimsArchives = true;
      return this;
    }

    /** Delay between the two examinations. Default: 1s. */
    public Builder lookAgainAfter(Duration pause) {
      lookAgainAfter = pause;
      return this;
    }

    /** Maximum number of IDs per finding. Default: 20. */
    public Builder sampleSize(int size) {
      sampleSize = size;
      return this;
    }

    /** Continues a scan that was stopped, from its {@link Diagnosis#resumeFrom}. */
    public Builder resumeFrom(@Nullable String position) {
      resumeFrom = position;
      return this;
    }

    public DoctorOptions build() {
      return new Options(
          Set.copyOf(queues),
          repairs,
          removesUnreadable,
          trimsArchives,
          archiveMaxSize,
          archiveMaxAge,
          lookAgainAfter,
          sampleSize,
          resumeFrom);
    }

    private record Options(
        Set<QueueName> queues,
        boolean repairs,
        boolean removesUnreadable,
        boolean trimsArchives,
        int archiveMaxSize,
        Duration archiveMaxAge,
        Duration lookAgainAfter,
        int sampleSize,
        @Nullable String resumeFrom)
        implements DoctorOptions {

      Options {
        requireAtLeast(0, archiveMaxSize, "archiveMaxSize");
        require(
            !archiveMaxAge.isNegative() && !archiveMaxAge.isZero(),
            "archiveMaxAge must be greater than 0, got " + archiveMaxAge);
        requireNotNegative(lookAgainAfter, "lookAgainAfter");
        requireAtLeast(0, sampleSize, "sampleSize");
        require(
            repairs || (!removesUnreadable && !trimsArchives),
            "a dry run cannot remove or trim tasks; use DoctorOptions.repair()");
        ScanPosition.parse(resumeFrom);
      }
    }
  }
}
