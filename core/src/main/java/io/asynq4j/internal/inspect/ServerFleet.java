package io.asynq4j.internal.inspect;

import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Presence;
import io.asynq4j.internal.broker.Presence.Seen;
import io.asynq4j.internal.broker.Presence.Unreadable;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The live servers: their snapshots, and commands to them. */
public record ServerFleet(Broker broker) {

  /** The heartbeat of every Go server. */
  private static final Duration GO_HEARTBEAT = Duration.ofSeconds(5);

  /** Returns the servers by host, process and ID. */
  public List<ServerSnapshot> servers() {
    Map<String, List<WorkerSnapshot>> workers = workersByServer();
    Instant now = broker.clock().instant();
    List<ServerSnapshot> servers = new ArrayList<>();
    Consumer<Unreadable> addBroken =
        one -> servers.add(broken(one, workers.getOrDefault(serverId(one), List.of())));
    for (Seen seen : broker.presence().seen(addBroken)) {
      servers.add(snapshot(seen, workers.getOrDefault(seen.server().serverId(), List.of()), now));
    }
    servers.sort(
        Comparator.comparing(ServerSnapshot::host)
            .thenComparing(ServerSnapshot::pid)
            .thenComparing(ServerSnapshot::id));
    return List.copyOf(servers);
  }

  /** A server whose record cannot be read; the parts of its name come from its key. */
  private static ServerSnapshot broken(Unreadable server, List<WorkerSnapshot> workers) {
    String owner = server.owner();
    int idStart = owner.lastIndexOf(':') + 1;
    int pidStart = owner.lastIndexOf(':', Math.max(0, idStart - 2)) + 1;
    String pid = idStart > pidStart ? owner.substring(pidStart, idStart - 1) : "";
    boolean hasPid = pid.matches("[0-9]{1,9}");
    return ServerSnapshot.builder(owner.substring(idStart))
        .host(hasPid && pidStart > 0 ? owner.substring(0, pidStart - 1) : "")
        .pid(hasPid ? Integer.parseInt(pid) : 0)
        .status("broken")
        .workers(workers)
        .problem(server.reason())
        .build();
  }

  private Map<String, List<WorkerSnapshot>> workersByServer() {
    Map<String, List<WorkerSnapshot>> workers = new HashMap<>();
    BiConsumer<String, WorkerSnapshot.Builder> add =
        (server, worker) ->
            workers.computeIfAbsent(server, any -> new ArrayList<>()).add(worker.build());
    Consumer<Unreadable> addBroken =
        one -> add.accept(serverId(one), WorkerSnapshot.builder(one.id()).problem(one.reason()));
    for (Presence.Worker worker : broker.presence().workers(addBroken)) {
      add.accept(
          worker.serverId(),
          WorkerSnapshot.builder(worker.taskId())
              .taskType(worker.taskType())
              .taskPayload(worker.taskPayload())
              .queue(worker.queue().value())
              .started(worker.started())
              .deadline(worker.deadline()));
    }
    return workers;
  }

  private static String serverId(Unreadable broken) {
    return broken.owner().substring(broken.owner().lastIndexOf(':') + 1);
  }

  private static ServerSnapshot snapshot(Seen seen, List<WorkerSnapshot> workers, Instant now) {
    Presence.Server server = seen.server();
    Duration heartbeat = server.heartbeat() == null ? GO_HEARTBEAT : server.heartbeat();
    // A server publishes itself for two heartbeats.
    Duration age = Duration.between(TimeMath.minus(seen.until(), heartbeat.multipliedBy(2)), now);
    return ServerSnapshot.builder(server.serverId())
        .host(server.host())
        .pid(server.pid())
        .concurrency(server.concurrency())
        .queues(server.queues())
        .strictPriority(server.strictPriority())
        .status(server.status())
        .started(server.started())
        .heartbeatAge(age.isNegative() ? Duration.ZERO : age)
        .activeWorkers(server.activeWorkers())
        .workers(workers)
        .build();
  }

  /** Sends a command to a server. Returns false if there is no such live server. */
  public boolean send(String serverId, ControlMessage command) {
    // A server with an unreadable record may be alive nevertheless.
    boolean isLive = servers().stream().anyMatch(server -> server.id().equals(serverId));
    if (isLive) {
      broker.cancellations().publish(command);
    }
    return isLive;
  }
}
