package io.asynq4j.internal.redis.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * I1 to I8 of the protocol. Where a Go process is known to break the stronger form, and only there,
 * the weaker one is asked for.
 */
final class ModelInvariants {

  private final ModelQueue queue;
  private final List<String> broken = new ArrayList<>();

  private ModelInvariants(ModelQueue queue) {
    this.queue = queue;
  }

  /** What is broken, one line each. */
  static List<String> of(ModelQueue queue) {
    ModelInvariants check = new ModelInvariants(queue);
    check.everyIdInAContainerHasItsRecord();
    check.everyRecordIsInOneContainer();
    check.leases();
    check.pendingSince();
    check.locks();
    check.groups();
    check.counters();
    return check.broken;
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      broken.add(queue.queue + ": " + what);
    }
  }

  private void everyIdInAContainerHasItsRecord() {
    queue.pending.forEach(id -> isIn(id, "pending"));
    queue.active.forEach(id -> isIn(id, "active"));
    for (String state : ModelQueue.ZSETS) {
      queue.zset(state).keySet().forEach(id -> isIn(id, state));
    }
    queue.group.values().forEach(ids -> ids.keySet().forEach(id -> isIn(id, "aggregating")));
    queue
        .aggregationSets
        .values()
        .forEach(set -> set.members().keySet().forEach(id -> isIn(id, "aggregating")));
    queue.spent.values().forEach(ids -> ids.keySet().forEach(id -> isIn(id, "aggregating")));
  }

  private void isIn(String id, String state) {
    ModelTask task = queue.tasks.get(id);
    require(
        task != null
            && task.message != null
            && task.message.getId().equals(id)
            && task.message.getQueue().equals(queue.queue.value())
            && task.state().equals(state),
        "I1 "
            + id
            + " is in "
            + state
            + ", its record "
            + (task == null ? "missing" : task.line()));
  }

  private void everyRecordIsInOneContainer() {
    queue.tasks.forEach(
        (id, task) -> {
          int containers = queue.containersOf(id).size();
          require(
              containers == 1 || (containers == 0 && task.strandedByGo),
              "I2 " + id + " is in " + queue.containersOf(id));
        });
  }

  private void leases() {
    for (String id : queue.lease.keySet()) {
      require(queue.active.contains(id), "I2 " + id + " has a lease and is not active");
    }
    for (String id : queue.active) {
      require(queue.lease.containsKey(id), "I2 " + id + " is active and has no lease");
    }
  }

  private void pendingSince() {
    queue.tasks.forEach(
        (id, task) -> {
          boolean has = task.fields.containsKey("pending_since");
          boolean isPending = task.state().equals("pending");
          require(
              has == isPending
                  || (task.movedByGo && (isPending || (has && task.state().equals("archived")))),
              "I3 pending_since of " + id + ": " + task.line());
        });
  }

  private void locks() {
    queue.locks.forEach(
        (key, id) ->
            require(
                queue.tasks.containsKey(id) || queue.locksLeftByGo.contains(key),
                "I4 " + key + " is held by " + id + ", which is gone"));
  }

  private void groups() {
    for (Map.Entry<String, Map<String, Long>> each : queue.group.entrySet()) {
      require(
          each.getValue().isEmpty()
              || queue.groups.contains(each.getKey())
              || queue.unlistedByGo.contains(each.getKey()),
          "I5 group " + each.getKey() + " is not listed");
    }
  }

  private void counters() {
    long processed = queue.counters.getOrDefault("processed", 0L);
    long failed = queue.counters.getOrDefault("failed", 0L);
    require(processed >= failed, "I6 processed " + processed + ", failed " + failed);
    require(queue.zset("archived").size() <= 9999, "I8 archived " + queue.zset("archived").size());
  }
}
