package io.asynq4j.internal.redis.simulation;

import java.util.Map;
import java.util.TreeMap;

/** An aggregation set in progress. */
record ModelAggregationSet(String group, long expiry, Map<String, Long> members) {
  ModelAggregationSet {
    members = new TreeMap<>(members);
  }
}
