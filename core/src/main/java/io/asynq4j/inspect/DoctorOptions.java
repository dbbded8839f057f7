package io.asynq4j.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.doctor.ScanPosition;
import io.asynq4j.internal.text.ValueText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a doctor is to look at, and what it may put right. Immutable. */
public final class DoctorOptions {

  private final Set<QueueName> queues;
  private final boolean repairs;
  private final boolean removesUnreadable;
  private final boolean trimsArchives;
  private final int archiveMaxSize;
  private final Duration archiveMaxAge;
  private final Duration lookAgainAfter;
  private final int sampleSize;
  private final @Nullable String resumeFrom;

  private DoctorOptions(Builder builder) {
    this.queues = Set.copyOf(builder.queues);
    this.repairs = builder.repairs;
    this.removesUnreadable = builder.removesUnreadable;
    this.trimsArchives = builder.trimsArchives;
    this.archiveMaxSize = builder.archiveMaxSize;
    this.archiveMaxAge = builder.archiveMaxAge;
    this.lookAgainAfter = builder.lookAgainAfter;
    this.sampleSize = builder.sampleSize;
    this.resumeFrom = builder.resumeFrom;
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

  /** Only these; empty for all, and for what belongs to no queue. */
  public Set<QueueName> queues() {
    return queues;
  }

  /** Whether what is amiss is put right; no task is ever deleted by that alone. */
  public boolean repairs() {
    return repairs;
  }

  /** Whether tasks that nobody can read are deleted instead of archived. */
  public boolean removesUnreadable() {
    return removesUnreadable;
  }

  /** Whether tasks beyond the limits of the archives are deleted. */
  public boolean trimsArchives() {
    return trimsArchives;
  }

  /** How many tasks an archive may hold. */
  public int archiveMaxSize() {
    return archiveMaxSize;
  }

  /** How old they may be. */
  public Duration archiveMaxAge() {
    return archiveMaxAge;
  }

  /** What is amiss must still be so after this time, since it may have been in transition. */
  public Duration lookAgainAfter() {
    return lookAgainAfter;
  }

  /** How many ids are named of each finding. */
  public int sampleSize() {
    return sampleSize;
  }

  /** Where an earlier visit was stopped; null for the beginning. */
  public @Nullable String resumeFrom() {
    return resumeFrom;
  }

  /** Looks at everything and changes nothing. */
  public static Builder dryRun() {
    return new Builder(false);
  }

  /** Looks at everything and puts right what is amiss; deletes no task unless more is said. */
  public static Builder repair() {
    return new Builder(true);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DoctorOptions that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "DoctorOptions",
        "queues repairs removesUnreadable trimsArchives archiveMaxSize archiveMaxAge lookAgainAfter sampleSize resumeFrom",
        values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(
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
      return queue(QueueName.of(name));
    }

    public Builder queue(QueueName name) {
      queues.add(name);
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
      return new DoctorOptions(this);
    }
  }
}
