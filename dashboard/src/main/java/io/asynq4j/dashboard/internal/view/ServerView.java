package io.asynq4j.dashboard.internal.view;

import io.asynq4j.dashboard.Grant;
import io.asynq4j.http.JsonFields;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** JSON of live servers, limited to what a user may see. */
public final class ServerView {

  private ServerView() {}

  /** Returns the servers with at least one visible queue, without their other queues. */
  public static List<ServerSnapshot> visible(List<ServerSnapshot> servers, Grant grant) {
    if (grant.seesAll()) {
      return servers;
    }
    return servers.stream()
        .map(server -> restricted(server, grant))
        .filter(server -> !server.queues().isEmpty())
        .toList();
  }

  private static ServerSnapshot restricted(ServerSnapshot server, Grant grant) {
    Map<String, Integer> queues = new HashMap<>(server.queues());
    queues.keySet().removeIf(queue -> !grant.sees(queue));
    List<WorkerSnapshot> workers =
        server.workers().stream().filter(worker -> grant.sees(worker.queue())).toList();
    return ServerSnapshot.builder(server.id())
        .host(server.host())
        .pid(server.pid())
        .concurrency(server.concurrency())
        .queues(queues)
        .strictPriority(server.strictPriority())
        .status(server.status())
        .started(server.started())
        .heartbeatAge(server.heartbeatAge())
        .activeWorkers(workers.size())
        .workers(workers)
        .problem(server.problem())
        .build();
  }

  public static JsonFields fields(ServerSnapshot server, PayloadRenderer contents) {
    return new JsonFields()
        .put("id", server.id())
        .put("host", server.host())
        .put("pid", server.pid())
        .put("concurrency", server.concurrency())
        .put("queues", new TreeMap<>(server.queues()))
        .put("strictPriority", server.strictPriority())
        .put("status", server.status())
        .put("started", server.started())
        .millis("heartbeatAgeMs", server.heartbeatAge())
        .put("activeWorkers", server.activeWorkers())
        .put(
            "workers",
            server.workers().stream().map(worker -> fields(worker, contents).map()).toList())
        .put("problem", server.problem());
  }

  private static JsonFields fields(WorkerSnapshot worker, PayloadRenderer contents) {
    return new JsonFields()
        .put("taskId", worker.taskId())
        .put("taskType", worker.taskType())
        .put("queue", worker.queue())
        .put(
            "payload",
            contents
                .payload(worker.taskType(), worker.taskPayload(), PayloadRenderer.PREVIEW)
                .map())
        .put("started", worker.started())
        .put("deadline", worker.deadline())
        .put("problem", worker.problem());
  }
}
