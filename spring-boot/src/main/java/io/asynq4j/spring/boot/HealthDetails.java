package io.asynq4j.spring.boot;

import io.asynq4j.BrokerException;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.redis.RedisConnection;
import io.asynq4j.server.TaskServer;
import io.asynq4j.spring.TaskServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Reads what the health indicator shows: servers, the oldest pending task and paused queues. */
final class HealthDetails {

  private static final Logger log = LoggerFactory.getLogger(HealthDetails.class);

  /** A probe must stay cheap. */
  private static final int MAX_QUEUES = 100;

  private final RedisConnection redis;
  private final ObjectProvider<Inspector> inspector;
  private final ObjectProvider<TaskServers> servers;

  HealthDetails(
      RedisConnection redis,
      ObjectProvider<Inspector> inspector,
      ObjectProvider<TaskServers> servers) {
    this.redis = redis;
    this.inspector = inspector;
    this.servers = servers;
  }

  /**
   * Waits for a reply.
   *
   * @throws BrokerException if Redis does not respond
   */
  void requireRedis() {
    redis.ping();
  }

  Map<String, Object> read() {
    Map<String, Object> details = new LinkedHashMap<>();
    servers.ifAvailable(own -> details.put("servers", states(own)));
    try {
      inspector.ifAvailable(reader -> readQueues(reader, details));
    } catch (BrokerException e) {
      // Redis responded, so this is no reason to be down.
      log.warn("the queues could not be read for the health: {}", e.getMessage());
      details.put("queues", "could not be read");
    }
    return details;
  }

  /** Returns the states of the servers of this application, by name. */
  static Map<String, String> states(TaskServers servers) {
    Map<String, String> states = new TreeMap<>();
    for (String name : servers.names()) {
      states.put(
          name,
          servers
              .find(name)
              .map(TaskServer::state)
              .map(state -> state.name().toLowerCase(java.util.Locale.ROOT))
              .orElse("stopped"));
    }
    return states;
  }

  private static void readQueues(Inspector inspector, Map<String, Object> details) {
    Set<String> names = inspector.queues();
    List<QueueSnapshot> queues = new ArrayList<>();
    names.stream()
        .limit(MAX_QUEUES)
        .forEach(name -> queues.add(inspector.queue(name).listedSnapshot()));
    details.put("queues", names.size());
    details.put("pending", queues.stream().mapToLong(q -> q.size(TaskState.PENDING)).sum());
    details.put(
        "oldestPending",
        queues.stream()
            .map(QueueSnapshot::latency)
            .max(Duration::compareTo)
            .orElse(Duration.ZERO)
            .toString());
    details.put(
        "paused", queues.stream().filter(QueueSnapshot::paused).map(QueueSnapshot::queue).toList());
  }
}
