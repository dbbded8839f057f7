package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.doctor.ScanPosition;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a doctor is to look at, and what it may put right. Immutable.
 *
 * @param queues only these; empty for all, and for what belongs to no queue
 * @param repairs whether what is amiss is put right; no task is ever deleted by that alone
 * @param removesUnreadable whether tasks that nobody can read are deleted instead of archived
 * @param trimsArchives whether tasks beyond the limits of the archives are deleted
 * @param archiveMaxSize how many tasks an archive may hold
 * @param archiveMaxAge how old they may be
 * @param lookAgainAfter what is amiss must still be so after this time, since it may have been in
 *     transition
 * @param sampleSize how many ids are named of each finding
 * @param resumeFrom where an earlier visit was stopped; null for the beginning
 */
public record DoctorOptions(
    Set<QueueName> queues,
    boolean repairs,
    boolean removesUnreadable,
    boolean trimsArchives,
    int archiveMaxSize,
    Duration archiveMaxAge,
    Duration lookAgainAfter,
    int sampleSize,
    @Nullable String resumeFrom) {

  public DoctorOptions {
    queues = Set.copyOf(queues);
    if (archiveMaxSize < 0) {
      throw new IllegalArgumentException("archiveMaxSize must not be negative: " + archiveMaxSize);
    }
    if (archiveMaxAge.isNegative() || archiveMaxAge.isZero()) {
      throw new IllegalArgumentException("archiveMaxAge must be positive: " + archiveMaxAge);
    }
    if (lookAgainAfter.isNegative()) {
      throw new IllegalArgumentException("lookAgainAfter must not be negative: " + lookAgainAfter);
    }
    if (sampleSize < 0) {
      throw new IllegalArgumentException("sampleSize must not be negative: " + sampleSize);
    }
    if (!repairs && (removesUnreadable || trimsArchives)) {
      throw new IllegalArgumentException(
          "a dry run removes and trims nothing; begin with DoctorOptions.repair()");
    }
    ScanPosition.parse(resumeFrom);
  }

  /** Looks at everything and changes nothing. */
  public static Builder dryRun() {
    return new Builder(false);
  }

  /** Looks at everything and puts right what is amiss; deletes no task unless more is said. */
  public static Builder repair() {
    return new Builder(true);
  }

  /** Puts options together. Not thread-safe. */
  public static final class Builder {
    private final boolean repairs;
    private final Set<QueueName> queues = new TreeSet<>();
    private boolean removesUnreadable;
    private boolean trimsArchives;
    // What Go keeps is no overflow, though ours keep fewer.
    private int archiveMaxSize = ArchiveRules.GO.maxSize();
    private Duration archiveMaxAge = ArchiveRules.GO.maxAge();
    private Duration lookAgainAfter = Duration.ofSeconds(1);
    private int sampleSize = 20;
    private @Nullable String resumeFrom;

    private Builder(boolean repairs) {
      this.repairs = repairs;
    }

    /** Looks only at this queue, and others that are named so, and at nothing beside them. */
    public Builder queue(String name) {
      queues.add(QueueName.of(name));
      return this;
    }

    /** Deletes tasks that nobody can read, instead of archiving them. */
    public Builder removeUnreadable() {
      removesUnreadable = true;
      return this;
    }

    /**
     * What an archive may hold: 9,999 tasks for 90 days, if nothing else is said, as asynq has it.
     * What is beyond that is reported.
     */
    public Builder archiveLimits(int maxSize, Duration maxAge) {
      archiveMaxSize = maxSize;
      archiveMaxAge = maxAge;
      return this;
    }

    /**
     * Deletes the oldest tasks beyond the limits of the archives. Say the limits that the servers
     * have: a doctor does not know them.
     */
    public Builder trimArchives() {
      trimsArchives = true;
      return this;
    }

    /** How much time is between the two looks; a second, if nothing else is said. */
    public Builder lookAgainAfter(Duration pause) {
      lookAgainAfter = pause;
      return this;
    }

    /** How many ids are named of each finding; 20, if nothing else is said. */
    public Builder sampleSize(int size) {
      sampleSize = size;
      return this;
    }

    /** Goes on where a visit was stopped, as its diagnosis tells. */
    public Builder resumeFrom(@Nullable String place) {
      resumeFrom = place;
      return this;
    }

    public DoctorOptions build() {
      return new DoctorOptions(
          queues,
          repairs,
          removesUnreadable,
          trimsArchives,
          archiveMaxSize,
          archiveMaxAge,
          lookAgainAfter,
          sampleSize,
          resumeFrom);
    }
  }
}
