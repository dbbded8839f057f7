package io.asynq4j.internal.server.config;

import static io.asynq4j.internal.codec.ArgumentValidator.requireAtLeast;

import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.server.GroupAggregator;

/** How groups are aggregated. */
public record GroupConfig(GroupAggregator aggregator, GroupRules rules, int parallelism) {

  public GroupConfig {
    requireAtLeast(1, parallelism, "groups.parallelism");
  }
}
