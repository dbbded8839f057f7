package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.server.GroupAggregator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects the aggregator of a group: by the name of the group, otherwise by the type of its tasks,
 * otherwise the default one. Immutable and thread-safe.
 */
public final class AggregatorRouter implements GroupAggregator {

  private record Route(Glob group, GroupAggregator aggregator) {}

  private final List<Route> byGroup;
  private final Map<String, GroupAggregator> byType;
  private final @Nullable GroupAggregator otherwise;
  private final PayloadCodec codec;

  private AggregatorRouter(Builder builder, PayloadCodec codec) {
    this.byGroup = List.copyOf(builder.byGroup);
    this.byType = Map.copyOf(builder.byType);
    this.otherwise = builder.otherwise;
    this.codec = codec;
  }

  @Override
  public Aggregated aggregate(QueueName queue, String group, List<Task> tasks) throws Exception {
    return aggregatorOf(queue, group, tasks).aggregate(queue, group, tasks, codec);
  }

  private GroupAggregator aggregatorOf(QueueName queue, String group, List<Task> tasks) {
    for (Route route : byGroup) {
      if (route.group().matches(group)) {
        return route.aggregator();
      }
    }
    List<String> types = tasks.stream().map(Task::type).distinct().toList();
    GroupAggregator found = types.size() == 1 ? byType.get(types.get(0)) : null;
    if (found == null) {
      found = otherwise;
    }
    if (found == null) {
      throw new IllegalStateException(
          "no aggregator matches group \"%s\" of queue \"%s\" with tasks of types %s: add one with aggregator(…)"
              .formatted(group, queue, types));
    }
    return found;
  }

  /** Collects aggregators. Not thread-safe. */
  public static final class Builder {
    private final List<Route> byGroup = new ArrayList<>();
    private final Map<String, GroupAggregator> byType = new LinkedHashMap<>();
    private @Nullable GroupAggregator otherwise;

    public void otherwise(GroupAggregator aggregator) {
      otherwise = aggregator;
    }

    public void ofGroup(String pattern, GroupAggregator aggregator) {
      byGroup.add(new Route(Glob.of(pattern), aggregator));
    }

    public void ofType(String type, GroupAggregator aggregator) {
      if (byType.putIfAbsent(type, aggregator) != null) {
        throw new IllegalArgumentException("task type \"" + type + "\" already has an aggregator");
      }
    }

    /** Returns null without any aggregator: groups then wait for another server. */
    public @Nullable GroupAggregator build(PayloadCodec codec) {
      return byGroup.isEmpty() && byType.isEmpty() && otherwise == null
          ? null
          : new AggregatorRouter(this, codec);
    }
  }
}
