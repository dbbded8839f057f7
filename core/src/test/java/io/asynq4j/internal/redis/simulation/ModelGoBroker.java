package io.asynq4j.internal.redis.simulation;

import io.asynq4j.internal.redis.codec.wire.WireTask;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the original does, by sections 4 and 5 of the protocol, with its defects. */
final class ModelGoBroker {

  private static final long ARCHIVE_AGE = 90 * 86_400L;

  private ModelGoBroker() {}

  private static ModelTask moved(ModelQueue queue, String id, String state) {
    ModelTask task = queue.task(id);
    task.set("state", state);
    task.movedByGo = true;
    task.strandedByGo = false;
    return task;
  }

  /** A stale Go worker may write an old message, which names another lock or none. */
  private static void write(ModelQueue queue, String id, String state, WireTask message) {
    moved(queue, id, state).message = message;
    queue.locks.forEach(
        (key, holder) -> {
          if (holder.equals(id) && !key.equals(message.getUniqueKey())) {
            queue.locksLeftByGo.add(key);
          }
        });
  }

  /** A record goes without its lock. */
  private static void drop(ModelQueue queue, String id) {
    queue.tasks.remove(id);
    queue.locks.forEach(
        (key, holder) -> {
          if (holder.equals(id)) {
            queue.locksLeftByGo.add(key);
          }
        });
  }

  /**
   * 4.1, 4.2, 4.8 to 4.11.
   *
   * @param at the second it is scheduled for, 0 = none
   * @param ttl of the lock, 0 = none
   */
  static int enqueue(ModelQueue queue, WireTask message, String group, long at, long ttl) {
    String id = message.getId();
    String lock = message.getUniqueKey();
    if (ttl > 0) {
      if (!queue.lock(lock, id, ttl)) {
        return -1;
      }
      // it stays when the id turns out to be taken. Q-2: grouped tasks do not say they hold
      // it.
      queue.locksLeftByGo.add(lock);
    }
    if (queue.tasks.containsKey(id)) {
      return 0;
    }
    ModelTask task = new ModelTask();
    task.message = message;
    queue.tasks.put(id, task);
    if (ttl > 0 && group.isEmpty()) {
      task.set("unique_key", lock);
      queue.locksLeftByGo.remove(lock);
    }
    if (at > 0) {
      moved(queue, id, "scheduled");
      queue.zset("scheduled").put(id, at);
    } else if (!group.isEmpty()) {
      moved(queue, id, "aggregating").set("group", group);
      queue.group.computeIfAbsent(group, any -> new TreeMap<>()).put(id, queue.second());
      queue.list(group);
    } else {
      moved(queue, id, "pending").set("pending_since", queue.nanos());
      queue.pending.add(0, id);
    }
    return 1;
  }

  static @Nullable WireTask dequeue(ModelQueue queue) {
    if (queue.paused != null || queue.pending.isEmpty()) {
      return null;
    }
    String id = queue.pending.remove(queue.pending.size() - 1);
    queue.active.add(0, id);
    moved(queue, id, "active").unset("pending_since");
    queue.lease.put(id, new ModelLease(queue.second() + 30, 0));
    return queue.task(id).message;
  }

  private static boolean endLease(ModelQueue queue, String id) {
    if (!queue.active.contains(id)) {
      return false;
    }
    queue.endLease(id);
    return true;
  }

  static boolean done(ModelQueue queue, WireTask message) {
    String id = message.getId();
    if (!endLease(queue, id)) {
      return false;
    }
    queue.count(1, 0);
    queue.release(message.getUniqueKey(), id);
    drop(queue, id);
    return true;
  }

  static boolean complete(ModelQueue queue, WireTask message) {
    String id = message.getId();
    if (!endLease(queue, id)) {
      return false;
    }
    queue.zset("completed").put(id, queue.second() + message.getRetention());
    write(queue, id, "completed", message.toBuilder().setCompletedAt(queue.second()).build());
    queue.count(1, 0);
    queue.release(message.getUniqueKey(), id);
    return true;
  }

  static boolean requeue(ModelQueue queue, String id) {
    if (!endLease(queue, id)) {
      return false;
    }
    queue.pending.add(id);
    moved(queue, id, "pending");
    return true;
  }

  static boolean retry(ModelQueue queue, WireTask message, long at, String error, boolean failure) {
    String id = message.getId();
    if (!endLease(queue, id)) {
      return false;
    }
    queue.zset("retry").put(id, at);
    write(queue, id, "retry", ModelQueue.failed(message, error, queue.second(), failure));
    queue.count(failure ? 1 : 0, failure ? 1 : 0);
    return true;
  }

  static boolean archive(ModelQueue queue, WireTask message, String error) {
    String id = message.getId();
    if (!endLease(queue, id)) {
      return false;
    }
    queue.zset("archived").put(id, queue.second());
    write(queue, id, "archived", ModelQueue.failed(message, error, queue.second(), false));
    for (String old : tooOld(queue)) {
      queue.zset("archived").remove(old);
      drop(queue, old);
    }
    queue.count(1, 1);
    return true;
  }

  private static Set<String> tooOld(ModelQueue queue) {
    Map<String, Long> old = new TreeMap<>(queue.zset("archived"));
    old.values().removeIf(at -> at > queue.second() - ARCHIVE_AGE);
    return old.keySet();
  }

  static int forward(ModelQueue queue, String state) {
    int handled = 0;
    for (String id : ModelQueue.inOrder(queue.zset(state))) {
      Long score = queue.zset(state).get(id);
      if (score == null || score > queue.second()) {
        continue;
      }
      queue.zset(state).remove(id);
      String group = queue.task(id).field("group");
      if (group.isEmpty()) {
        queue.pending.add(0, id);
        moved(queue, id, "pending").set("pending_since", queue.nanos());
      } else {
        queue.group.computeIfAbsent(group, any -> new TreeMap<>()).put(id, queue.second());
        moved(queue, id, "aggregating");
        if (!queue.groups.contains(group)) {
          queue.unlistedByGo.add(group);
        }
      }
      handled++;
    }
    return handled;
  }

  static void expire(ModelQueue queue) {
    for (String id : ModelQueue.inOrder(queue.zset("completed"))) {
      Long until = queue.zset("completed").get(id);
      if (until != null && until <= queue.second()) {
        queue.zset("completed").remove(id);
        drop(queue, id);
      }
    }
  }

  static void extend(ModelQueue queue, String id) {
    queue.lease.computeIfPresent(id, (any, old) -> new ModelLease(queue.second() + 30, 0));
  }

  static void writeResult(ModelQueue queue, String id, String result) {
    ModelTask task = queue.tasks.get(id);
    if (task == null) {
      task = new ModelTask();
      task.movedByGo = true;
      task.strandedByGo = true;
      queue.tasks.put(id, task);
    }
    task.set("result", result);
  }

  /** Whether it was taken out of its container; only then do 5.10, 5.13 and 5.15 go on. */
  private static boolean takeOut(ModelQueue queue, String id) {
    ModelTask task = queue.task(id);
    String state = task.state();
    if (state.equals("pending")) {
      return queue.pending.remove(id);
    }
    if (state.equals("aggregating")) {
      Map<String, Long> members = queue.group.get(task.field("group"));
      if (members == null || members.remove(id) == null) {
        return false;
      }
      queue.dropEmptyGroup(task.field("group"));
      return true;
    }
    return queue.zset(state).remove(id) != null;
  }

  private static boolean isIn(ModelQueue queue, String id, String... states) {
    ModelTask task = queue.tasks.get(id);
    return task != null && Set.of(states).contains(task.state());
  }

  static boolean run(ModelQueue queue, String id) {
    if (!isIn(queue, id, "scheduled", "retry", "archived", "completed", "aggregating")
        || !takeOut(queue, id)) {
      return false;
    }
    queue.pending.add(0, id);
    moved(queue, id, "pending");
    return true;
  }

  /** Leaves the records of trimmed tasks behind: Q-7. */
  static boolean archiveWaiting(ModelQueue queue, String id) {
    if (!isIn(queue, id, "pending", "scheduled", "retry", "completed", "aggregating")
        || !takeOut(queue, id)) {
      return false;
    }
    queue.zset("archived").put(id, queue.second());
    moved(queue, id, "archived");
    for (String old : tooOld(queue)) {
      queue.zset("archived").remove(old);
      queue.task(old).strandedByGo = true;
    }
    return true;
  }

  static boolean delete(ModelQueue queue, String id) {
    if (!isIn(queue, id, "pending", "scheduled", "retry", "archived", "completed", "aggregating")
        || !takeOut(queue, id)) {
      return false;
    }
    queue.release(queue.task(id).field("unique_key"), id);
    drop(queue, id);
    return true;
  }
}
