package io.asynq4j.server;

import io.asynq4j.broker.Aggregation.GroupRules;

/** How groups become tasks. */
record GroupConfig(GroupAggregator aggregator, GroupRules rules, int parallelism) {

  GroupConfig {
    if (parallelism < 1) {
      throw new IllegalArgumentException("parallelism must be 1 or more: " + parallelism);
    }
  }
}
