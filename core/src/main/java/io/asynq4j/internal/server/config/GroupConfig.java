package io.asynq4j.internal.server.config;

import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.codec.ArgumentValidator;
import io.asynq4j.server.GroupAggregator;

/** How groups are aggregated. */
public record GroupConfig(GroupAggregator aggregator, GroupRules rules, int parallelism) {

  public GroupConfig {
    ArgumentValidator.requireAtLeast(1, parallelism, "groups.parallelism");
  }
}
