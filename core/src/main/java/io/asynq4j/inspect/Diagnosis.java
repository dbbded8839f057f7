package io.asynq4j.inspect;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a doctor's scan. Immutable. */
public sealed interface Diagnosis permits DiagnosisRecord {

  /** When the scan started, by the clock of Redis. */
  Instant startedAt();

  /** When the scan ended, by the clock of Redis. */
  Instant endedAt();

  /** The number of examined tasks and other entries; some may be counted more than once. */
  long examined();

  /** The findings by queue and kind. */
  List<Finding> findings();

  /** The reasons why parts could not be examined. */
  List<String> problems();

  /** Where to continue a scan that was stopped; null if it reached the end. */
  @Nullable String resumeFrom();

  /** Whether everything was examined and no finding is left. */
  default boolean isHealthy() {
    return isComplete() && findings().stream().allMatch(finding -> finding.left() == 0);
  }

  /** Whether everything was examined. */
  default boolean isComplete() {
    return resumeFrom() == null && problems().isEmpty();
  }

  /** Returns a diagnosis, for the doctor, tests and fakes. */
  static Diagnosis of(
      Instant startedAt,
      Instant endedAt,
      long examined,
      List<Finding> findings,
      List<String> problems,
      @Nullable String resumeFrom) {
    return new DiagnosisRecord(
        startedAt, endedAt, examined, List.copyOf(findings), List.copyOf(problems), resumeFrom);
  }

  /**
   * The progress of a doctor's scan. Immutable.
   *
   * @param step the current step as text
   * @param examined number of tasks and other entries examined so far
   * @param found number of inconsistent ones
   * @param repaired number of repaired ones
   */
  record DoctorProgress(String step, long examined, long found, long repaired) {}
}
