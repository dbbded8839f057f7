package io.asynq4j.benchmarks.script;

import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.NewTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Aggregation of groups. */
final class AggregationWorkloads extends WorkloadGroup {

  AggregationWorkloads(TaskPreparer preparer) {
    super(preparer);
    addAggregation();
  }

  private void addAggregation() {
    // More tasks than fit: they are moved, not renamed.
    many(
        "aggregate",
        (calls, batch) -> preparer.grouped("aggregated", calls * batch + 1),
        batch -> aggregate("aggregated", batch));
    PreparedItems<AggregationSet> toRead = new PreparedItems<>();
    many(
        "read_set",
        (calls, batch) -> toRead.fillTo(calls, count -> sets("read", count, batch)),
        batch -> expect(batch, broker.aggregation().read(toRead.take()).messages().size()));
    PreparedItems<AggregationSet> unreadable = new PreparedItems<>();
    single(
        "read_set + quarantine",
        (calls, batch) -> unreadable.fillTo(calls, this::unreadableSets),
        batch -> expect(0, broker.aggregation().read(unreadable.take()).messages().size()));
    PreparedItems<AggregationSet> toFinish = new PreparedItems<>();
    many(
        "finish_set",
        (calls, batch) -> toFinish.fillTo(calls, count -> sets("finished", count, batch)),
        batch -> finish(toFinish.take()));
    many(
        "sweep",
        (calls, batch) -> sets("swept", calls, batch).forEach(this::finish),
        inCalls(part -> broker.aggregation().sweep(queue, part)));
    PreparedItems<AggregationSet> toReclaim = new PreparedItems<>();
    many(
        "reclaim",
        (calls, batch) ->
            toReclaim.fillTo(
                calls,
                count -> {
                  List<AggregationSet> sets = sets("reclaimed", count, batch);
                  preparer.grouped("reclaimed", 1);
                  return sets;
                }),
        batch -> expect(batch, broker.aggregation().giveBack(toReclaim.take())));
  }

  private AggregationSet aggregate(String group, int size) {
    GroupRules rules =
        new GroupRules(size, Duration.ZERO, Duration.ZERO, GroupRules.DEFAULT_TIMEOUT);
    return broker.aggregation().aggregate(queue, group, rules).orElseThrow();
  }

  private List<AggregationSet> sets(String group, int count, int size) {
    List<AggregationSet> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      preparer.grouped(group, size);
      sets.add(aggregate(group, size));
    }
    return sets;
  }

  private List<AggregationSet> unreadableSets(int count) {
    List<AggregationSet> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      preparer.grouped("unreadable", 1).forEach(preparer::corrupt);
      sets.add(aggregate("unreadable", 1));
    }
    return sets;
  }

  private void finish(AggregationSet set) {
    NewTask aggregated = preparer.task(options -> options);
    if (broker.aggregation().finish(set, aggregated) != FinishAnswer.DONE) {
      throw new IllegalStateException("the set was not finished");
    }
  }
}
