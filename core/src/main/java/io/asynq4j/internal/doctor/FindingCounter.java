package io.asynq4j.internal.doctor;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.Finding;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.inspect.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
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

  FindingCounter(int sampleSize) {
    this.sampleSize = sampleSize;
  }

  void add(Subject subject, FindingDetail finding, boolean isRepaired) {
    Count count =
        counts.computeIfAbsent(new Place(finding.kind(), subject.queue()), place -> new Count());
    count.found += finding.count();
    count.repaired += isRepaired ? finding.count() : 0;
    if (count.sample.size() < sampleSize) {
      count.sample.add(subject.name());
    }
  }

  long found() {
    return counts.values().stream().mapToLong(count -> count.found).sum();
  }

  long repaired() {
    return counts.values().stream().mapToLong(count -> count.repaired).sum();
  }

  List<Finding> findings() {
    return counts.entrySet().stream()
        .map(entry -> finding(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparing(FindingCounter::queueName).thenComparing(Finding::kind))
        .toList();
  }

  private static Finding finding(Place place, Count count) {
    return Finding.of(place.kind(), place.queue(), count.found, count.repaired, count.sample);
  }

  private static String queueName(Finding finding) {
    return finding.queue() == null ? "" : finding.queue().value();
  }
}
