package io.asynq4j.benchmarks.script;

import io.asynq4j.internal.broker.rules.ArchiveRules;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Workloads for all scripts, on one queue. */
final class ScriptWorkloads {

  private ScriptWorkloads() {}

  /**
   * @param archived number of archived tasks in the queue: the limit of a full archive
   * @param otherQueues creates tasks in further queues
   */
  static List<Workload> all(
      TaskPreparer preparer, int archived, Supplier<TaskPreparer> otherQueues) {
    ArchiveRules fullArchive =
        new ArchiveRules(archived, Duration.ofDays(90), /* releaseLocks= */ false);
    return Stream.of(
            new TaskLifecycleWorkloads(preparer, fullArchive),
            new UpkeepWorkloads(preparer, fullArchive, otherQueues),
            new AggregationWorkloads(preparer),
            new InspectionWorkloads(preparer, otherQueues),
            new PresenceWorkloads(preparer))
        .flatMap(group -> group.all().stream())
        .toList();
  }
}
