package io.asynq4j.internal.server.config;

import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.internal.text.Glob;
import io.asynq4j.server.GroupAggregator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects the aggregator of a group: by the name of the group, otherwise by the type of its tasks,
 * otherwise the default one. Immutable and thread-safe.
 *
 * @param byGroup the first that matches counts
 * @param otherwise the default; null if there is none
 */
public record AggregatorRouter(
    List<Route> byGroup,
    Map<String, GroupAggregator> byType,
    @Nullable GroupAggregator otherwise,
    PayloadCodec codec)
    implements GroupAggregator {

  /** The aggregator of groups whose names match. */
  public record Route(Glob group, GroupAggregator aggregator) {}

  public AggregatorRouter {
    byGroup = List.copyOf(byGroup);
    byType = Map.copyOf(byType);
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
    GroupAggregator ofType = types.size() == 1 ? byType.get(types.get(0)) : null;
    GroupAggregator found = ofType == null ? otherwise : ofType;
    if (found == null) {
      throw new IllegalStateException(
          "no aggregator matches group \"%s\" of queue \"%s\" with tasks of types %s: add one with aggregator(…)"
              .formatted(group, queue, types));
    }
    return found;
  }
}
