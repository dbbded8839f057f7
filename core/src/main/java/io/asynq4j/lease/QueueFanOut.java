package io.asynq4j.lease;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.StoreWatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** Splits calls for tasks of many queues into one call for each queue. Thread-safe. */
final class QueueFanOut {

  private final StoreWatch servers;

  QueueFanOut(StoreWatch servers) {
    this.servers = servers;
  }

  /**
   * Runs an action for each queue. When a Redis server of a cluster fails, its other queues are
   * skipped and those of other servers are not; then the failure is thrown.
   */
  <T> void forEach(Map<QueueName, T> parts, BiConsumer<QueueName, T> action) {
    Set<String> away = new HashSet<>();
    BrokerUnavailableException failure = null;
    for (Map.Entry<QueueName, T> part : parts.entrySet()) {
      String server = servers.shardOf(part.getKey());
      if (away.contains(server)) {
        continue;
      }
      try {
        action.accept(part.getKey(), part.getValue());
      } catch (BrokerUnavailableException e) {
        away.add(server);
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The positions of the tasks of each queue. */
  static Map<QueueName, List<Integer>> positions(List<LeasedTask> tasks) {
    Map<QueueName, List<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      positions.computeIfAbsent(tasks.get(i).queue(), any -> new ArrayList<>()).add(i);
    }
    return positions;
  }
}
