package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.Finding;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.Diagnostics.Subject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts findings by kind and queue, with a few sample names of each. Not thread-safe. */
final class FindingCounter {

  private record Place(FindingKind kind, @Nullable QueueName queue) {}

  private static final class Count {
    private long found;
    private long repaired;
    private final List<String> sample = new ArrayList<>();
  }

  private final int sampleSize;
  private final Map<Place, Count> counts = new HashMap<>();
  private long found;
  private long repaired;

  FindingCounter(int sampleSize) {
    this.sampleSize = sampleSize;
  }

  void add(Subject subject, FindingDetail finding, boolean isRepaired) {
    Count count =
        counts.computeIfAbsent(new Place(finding.kind(), subject.queue()), place -> new Count());
    count.found += finding.count();
    found += finding.count();
    if (isRepaired) {
      count.repaired += finding.count();
      repaired += finding.count();
    }
    if (count.sample.size() < sampleSize) {
      count.sample.add(subject.name());
    }
  }

  long found() {
    return found;
  }

  long repaired() {
    return repaired;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    counts.forEach(
        (place, count) ->
            findings.add(
                Finding.of(
                    place.kind(), place.queue(), count.found, count.repaired, count.sample)));
    findings.sort(
        Comparator.comparing(
                (Finding finding) -> finding.queue() == null ? "" : finding.queue().value())
            .thenComparing(Finding::kind));
    return findings;
  }
}
