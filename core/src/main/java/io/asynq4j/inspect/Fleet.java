package io.asynq4j.inspect;

import io.asynq4j.broker.Broker;
import io.asynq4j.broker.Order;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.Presence.Seen;
import io.asynq4j.broker.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The live servers: how they are seen, and what they are told. */
final class Fleet {

  /** What every Go server has. */
  private static final Duration GO_HEARTBEAT = Duration.ofSeconds(5);

  private final Broker broker;

  Fleet(Broker broker) {
    this.broker = broker;
  }

  /** By host, process and id. */
  List<ServerSnapshot> servers() {
    Map<String, List<WorkerSnapshot>> workers = new HashMap<>();
    for (Presence.Worker worker : broker.presence().workers()) {
      workers
          .computeIfAbsent(worker.serverId(), any -> new ArrayList<>())
          .add(
              new WorkerSnapshot(
                  worker.taskId(),
                  worker.taskType(),
                  worker.taskPayload(),
                  worker.queue().value(),
                  worker.started(),
                  worker.deadline()));
    }
    Instant now = broker.clock().instant();
    return broker.presence().seen().stream()
        .map(seen -> snapshot(seen, workers.getOrDefault(seen.server().serverId(), List.of()), now))
        .sorted(
            Comparator.comparing(ServerSnapshot::host)
                .thenComparing(ServerSnapshot::pid)
                .thenComparing(ServerSnapshot::id))
        .toList();
  }

  private static ServerSnapshot snapshot(Seen seen, List<WorkerSnapshot> workers, Instant now) {
    Presence.Server server = seen.server();
    Duration heartbeat = server.heartbeat() == null ? GO_HEARTBEAT : server.heartbeat();
    // A server shows itself for two heartbeats.
    Duration age = Duration.between(Times.minus(seen.until(), heartbeat.multipliedBy(2)), now);
    return new ServerSnapshot(
        server.serverId(),
        server.host(),
        server.pid(),
        server.concurrency(),
        server.queues(),
        server.strictPriority(),
        server.status(),
        server.started(),
        age.isNegative() ? Duration.ZERO : age,
        server.activeWorkers(),
        workers);
  }

  boolean quiet(String serverId) {
    return tell(serverId, new Order.Quiet(serverId));
  }

  boolean stop(String serverId) {
    return tell(serverId, new Order.Stop(serverId));
  }

  private boolean tell(String serverId, Order order) {
    boolean isLive =
        broker.presence().servers().stream().anyMatch(server -> server.serverId().equals(serverId));
    if (isLive) {
      broker.cancellations().publish(order);
    }
    return isLive;
  }
}
