package io.asynq4j.redis;

import java.util.Map;
import java.util.TreeMap;

/** An aggregation set under way. */
record ModelAggregationSet(String group, long expiry, Map<String, Long> members) {
  ModelAggregationSet {
    members = new TreeMap<>(members);
  }
}
