package io.asynq4j.redis;

import java.util.Map;
import java.util.TreeMap;

/** An aggregation set under way. */
record ModelSet(String group, long expiry, Map<String, Long> members) {
  ModelSet {
    members = new TreeMap<>(members);
  }
}
