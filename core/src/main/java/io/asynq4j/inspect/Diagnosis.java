package io.asynq4j.inspect;

import io.asynq4j.internal.text.ValueText;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a doctor's visit has shown. Immutable. */
public final class Diagnosis {

  private final Instant startedAt;
  private final Instant endedAt;
  private final long examined;
  private final List<Finding> findings;
  private final List<String> problems;
  private final @Nullable String resumeFrom;

  private Diagnosis(Builder builder) {
    this.startedAt = builder.startedAt;
    this.endedAt = builder.endedAt;
    this.examined = builder.examined;
    this.findings = List.copyOf(builder.findings);
    this.problems = List.copyOf(builder.problems);
    this.resumeFrom = builder.resumeFrom;
  }

  /**
   * A diagnosis without findings, to start from: for tests and fakes; the library makes all others.
   */
  public static Builder builder(Instant startedAt, Instant endedAt) {
    return new Builder(startedAt, endedAt);
  }

  /** Returns a builder with the values of this object. */
  public Builder toBuilder() {
    return new Builder(startedAt, endedAt)
        .examined(examined)
        .findings(findings)
        .problems(problems)
        .resumeFrom(resumeFrom);
  }

  /** By the clock of Redis. */
  public Instant startedAt() {
    return startedAt;
  }

  /** By the clock of Redis. */
  public Instant endedAt() {
    return endedAt;
  }

  /** How many tasks and other entries were looked at; one may have been met more than once. */
  public long examined() {
    return examined;
  }

  /** By queue and kind. */
  public List<Finding> findings() {
    return findings;
  }

  /** Why parts could not be looked at. */
  public List<String> problems() {
    return problems;
  }

  /** Where to go on after a visit that was stopped; null when it came to its end. */
  public @Nullable String resumeFrom() {
    return resumeFrom;
  }

  /** Whether everything was looked at, and nothing is amiss any more. */
  public boolean isHealthy() {
    return isComplete() && findings.stream().allMatch(finding -> finding.left() == 0);
  }

  /** Whether everything was looked at. */
  public boolean isComplete() {
    return resumeFrom == null && problems.isEmpty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Diagnosis that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return ValueText.of(
        "Diagnosis", "startedAt endedAt examined findings problems resumeFrom", values());
  }

  private List<@Nullable Object> values() {
    return Arrays.asList(startedAt, endedAt, examined, findings, problems, resumeFrom);
  }

  /** Collects the values of a {@link Diagnosis}. Not thread-safe. */
  public static final class Builder {
    private final Instant startedAt;
    private final Instant endedAt;
    private long examined;
    private List<Finding> findings = List.of();
    private List<String> problems = List.of();
    private @Nullable String resumeFrom;

    private Builder(Instant startedAt, Instant endedAt) {
      this.startedAt = startedAt;
      this.endedAt = endedAt;
    }

    public Builder examined(long examined) {
      this.examined = examined;
      return this;
    }

    public Builder findings(List<Finding> findings) {
      this.findings = findings;
      return this;
    }

    public Builder problems(List<String> problems) {
      this.problems = problems;
      return this;
    }

    public Builder resumeFrom(@Nullable String resumeFrom) {
      this.resumeFrom = resumeFrom;
      return this;
    }

    public Diagnosis build() {
      return new Diagnosis(this);
    }
  }

  /**
   * How far a doctor's visit is.
   *
   * @param step what is looked at just now, for people
   * @param examined how many tasks and other entries were looked at so far
   * @param found how many of them were amiss
   * @param repaired how many were put right
   */
  public record DoctorProgress(String step, long examined, long found, long repaired) {}
}
