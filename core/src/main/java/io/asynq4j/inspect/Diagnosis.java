package io.asynq4j.inspect;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a doctor's visit has shown. Immutable.
 *
 * @param startedAt by the clock of Redis
 * @param examined how many tasks and other entries were looked at; one may have been met more than
 *     once
 * @param findings by queue and kind
 * @param problems why parts could not be looked at
 * @param resumeFrom where to go on after a visit that was stopped; null when it came to its end
 */
public record Diagnosis(
    Instant startedAt,
    Instant endedAt,
    long examined,
    List<Finding> findings,
    List<String> problems,
    @Nullable String resumeFrom) {

  public Diagnosis {
    findings = List.copyOf(findings);
    problems = List.copyOf(problems);
  }

  /** Whether everything was looked at, and nothing is amiss any more. */
  public boolean isHealthy() {
    return isComplete() && findings.stream().allMatch(finding -> finding.left() == 0);
  }

  /** Whether everything was looked at. */
  public boolean isComplete() {
    return resumeFrom == null && problems.isEmpty();
  }
}
