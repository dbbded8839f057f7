package io.asynq4j.service.api;

import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.definition.TaskDefinition;
import io.asynq4j.http.ApiResponse;
import io.asynq4j.http.Json;
import io.asynq4j.http.RequestFields;
import io.asynq4j.lease.LeasedTask;
import io.asynq4j.lease.LeasedTask.LeaseProof;
import io.asynq4j.service.auth.AccessControl;
import io.asynq4j.service.auth.ApiKey;
import io.asynq4j.service.definition.DefinitionCatalog;
import io.asynq4j.service.lease.LeaseToken;
import io.asynq4j.service.response.Problems;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The leased tasks that a request names by token, one or a list, and the state that the response
 * reports for each. Used by one thread.
 */
final class LeaseTokenBatch {

  /** Maximum number of tasks of a request. */
  static final int MAX_TASKS = 1_000;

  /** State of a task whose lease the caller does not hold. */
  static final String LOST = "lost";

  /** Handles one task whose lease the caller holds. */
  interface Action {
    void accept(int index, LeasedTask task, RequestFields fields);
  }

  private final DefinitionCatalog catalog;
  private final ApiKey caller;
  private final boolean single;
  private boolean hasFollowUps;
  private @Nullable BrokerUnavailableException unavailable;
  private final List<RequestFields> items = new ArrayList<>();
  private final List<LeaseProof> proofs = new ArrayList<>();
  private final List<ObjectNode> states = new ArrayList<>();

  LeaseTokenBatch(Exchange exchange, int maxBytes, DefinitionCatalog catalog) throws Exception {
    this.catalog = catalog;
    this.caller = exchange.caller();
    JsonNode body = exchange.json(maxBytes);
    this.single = !body.has("tasks");
    if (single) {
      add(body);
    } else {
      RequestFields fields = new RequestFields(body, "the body", Problems.FACTORY);
      fields.list("tasks", MAX_TASKS).forEach(this::add);
      fields.end();
    }
  }

  private void add(JsonNode item) {
    RequestFields fields = new RequestFields(item, "a task", Problems.FACTORY);
    LeaseProof proof =
        LeaseToken.parse(fields.required("token"))
            .orElseThrow(() -> Problems.invalid("token", "\"token\" is not a valid lease token"));
    Optional<TaskDefinition> definition = catalog.ofQueue(proof.queue());
    definition.ifPresentOrElse(
        each -> AccessControl.requireName(caller, each.name()),
        () -> requireUndefined(proof.queue()));
    hasFollowUps |= definition.map(each -> each.followUps().success() != null).orElse(false);
    items.add(fields);
    proofs.add(proof);
    states.add(Json.object().put("id", proof.id()));
  }

  /** Another replica may have defined the task in the meantime. */
  private void requireUndefined(String queue) {
    if (caller.allows(queue)) {
      return;
    }
    catalog.refresh();
    catalog
        .ofQueue(queue)
        .ifPresentOrElse(
            definition -> AccessControl.requireName(caller, definition.name()),
            () -> AccessControl.requireQueue(caller, queue));
  }

  /** Whether the success of one of the tasks enqueues a follow-up. */
  boolean hasFollowUps() {
    return hasFollowUps;
  }

  /** Calls an action for each token, whether its lease is held or not. */
  void eachProof(BiConsumer<LeaseProof, RequestFields> action) {
    for (int i = 0; i < items.size(); i++) {
      action.accept(proofs.get(i), items.get(i));
      items.get(i).end();
    }
  }

  /**
   * Calls an action for each task whose lease is held; the others are lost. Tasks on a Redis server
   * of a cluster that does not respond are skipped, so that the others keep their leases. The
   * response reports the failure.
   */
  void each(Action action) {
    indexesByServer().values().forEach(indexes -> each(indexes, action));
  }

  private Map<String, List<Integer>> indexesByServer() {
    Map<String, List<Integer>> byServer = new LinkedHashMap<>();
    for (int i = 0; i < proofs.size(); i++) {
      String server = catalog.leases().serverOf(proofs.get(i).queue());
      byServer.computeIfAbsent(server, any -> new ArrayList<>()).add(i);
    }
    return byServer;
  }

  private void each(List<Integer> indexes, Action action) {
    List<Optional<LeasedTask>> tasks;
    try {
      tasks = catalog.leases().restore(indexes.stream().map(proofs::get).toList());
    } catch (BrokerUnavailableException e) {
      unavailable = e;
      return;
    }
    for (int i = 0; i < tasks.size(); i++) {
      int index = indexes.get(i);
      if (tasks.get(i).isPresent()) {
        action.accept(index, tasks.get(i).get(), items.get(index));
        items.get(index).end();
      } else {
        setLost(index);
      }
    }
  }

  /** Sets the state of a task, and returns its object for further fields. */
  ObjectNode set(int index, String state) {
    return states.get(index).put("state", state);
  }

  /** Sets the state of a task whose lease is held: leased, or cancelled if it should stop. */
  ObjectNode setHeld(int index, LeasedTask task) {
    return set(index, task.cancelled().isPresent() ? "cancelled" : "leased");
  }

  /** Sets the state of a task whose lease is lost. */
  void setLost(int index) {
    set(index, LOST);
  }

  /** The response with the states of all tasks. A lost lease of a single task is a problem. */
  ApiResponse response() {
    if (unavailable != null) {
      throw unavailable;
    }
    if (single) {
      ObjectNode only = states.get(0);
      if (only.path("state").asString("").equals(LOST)) {
        throw Problems.conflict(
            "lease-lost", "the lease has expired or belongs to another worker: stop", null);
      }
      return ApiResponse.json(200, only);
    }
    ObjectNode body = Json.object();
    ArrayNode list = body.putArray("tasks");
    states.forEach(list::add);
    return ApiResponse.json(200, body);
  }
}
