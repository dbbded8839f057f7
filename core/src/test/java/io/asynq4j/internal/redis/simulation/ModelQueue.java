package io.asynq4j.internal.redis.simulation;

import io.asynq4j.QueueName;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.RedisKeys;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Expected content of a queue, in plain collections, and operations that all transitions share. */
final class ModelQueue {

  static final long DAY_COUNTER_TTL = 7_776_000;
  static final List<String> ZSETS = List.of("scheduled", "retry", "archived", "completed");

  final QueueName queue;
  private final SettableClock clock;

  final Map<String, ModelTask> tasks = new TreeMap<>();

  /** Left first: the next to run is the last one. */
  final List<String> pending = new ArrayList<>();

  final List<String> active = new ArrayList<>();
  final Map<String, ModelLease> lease = new TreeMap<>();
  private final Map<String, Map<String, Long>> zsets = new TreeMap<>();
  final Set<String> groups = new TreeSet<>();
  final Map<String, Map<String, Long>> group = new TreeMap<>();
  final Map<String, ModelAggregationSet> aggregationSets = new TreeMap<>();
  final Map<String, Map<String, Long>> spent = new TreeMap<>();
  final Map<String, String> locks = new TreeMap<>();
  final Map<String, Long> lockEnds = new TreeMap<>();
  final Map<String, String> settings = new TreeMap<>();
  final Map<String, Long> counters = new TreeMap<>();
  final Map<String, Long> counterEnds = new TreeMap<>();
  @Nullable String paused;

  /** Groups that a Go process filled without listing them, and locks that it left behind. */
  final Set<String> unlistedByGo = new TreeSet<>();

  final Set<String> locksLeftByGo = new TreeSet<>();

  ModelQueue(QueueName queue, SettableClock clock) {
    this.queue = queue;
    this.clock = clock;
    ZSETS.forEach(state -> zsets.put(state, new TreeMap<>()));
  }

  long second() {
    return clock.instant().getEpochSecond();
  }

  long millis() {
    return clock.instant().toEpochMilli();
  }

  String nanos() {
    Instant now = clock.instant();
    return Long.toString(now.getEpochSecond() * 1_000_000_000 + now.getNano());
  }

  Map<String, Long> zset(String state) {
    Map<String, Long> zset = zsets.get(state);
    if (zset == null) {
      throw new IllegalStateException("no set is called " + state);
    }
    return zset;
  }

  ModelTask task(String id) {
    ModelTask task = tasks.get(id);
    if (task == null) {
      throw new IllegalStateException("the model has no task " + id);
    }
    return task;
  }

  /** Lowest score first, then by id, as Redis has it. */
  static List<String> inOrder(Map<String, Long> zset) {
    return zset.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .thenComparing(Map.Entry.<String, Long>comparingByKey()))
        .map(Map.Entry::getKey)
        .toList();
  }

  List<String> leasesInOrder() {
    return lease.entrySet().stream()
        .sorted(
            Comparator.comparingDouble(
                    (Map.Entry<String, ModelLease> each) -> each.getValue().score())
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey)
        .toList();
  }

  // Moves.

  boolean holds(String id, String token) {
    ModelLease held = lease.get(id);
    ModelTask task = tasks.get(id);
    return held != null
        && held.digits() == ModelLease.digits(token)
        && task != null
        && task.field("claim").equals(token);
  }

  void endLease(String id) {
    active.remove(active.lastIndexOf(id));
    lease.remove(id);
  }

  void enterPending(String id) {
    ModelTask task = moved(id, "pending");
    task.set("pending_since", nanos());
    pending.add(0, id);
  }

  void enterHead(String id) {
    ModelTask task = moved(id, "pending");
    task.set("pending_since", nanos());
    pending.add(id);
  }

  void enterAt(String state, String id, long dueMillis, boolean precise) {
    ModelTask task = moved(id, state);
    if (precise) {
      task.set("due_ms", Long.toString(dueMillis));
      zset(state).put(id, Math.floorDiv(dueMillis, 1000L));
    } else {
      zset(state).put(id, -Math.floorDiv(-dueMillis, 1000L));
    }
  }

  void enterGroup(String id, String name) {
    moved(id, "aggregating").set("group", name);
    group.computeIfAbsent(name, any -> new TreeMap<>()).put(id, second());
    list(name);
  }

  void list(String name) {
    groups.add(name);
    unlistedByGo.remove(name);
  }

  private ModelTask moved(String id, String state) {
    ModelTask task = task(id);
    task.set("state", state);
    task.movedByGo = false;
    task.strandedByGo = false;
    return task;
  }

  void enterArchive(String id) {
    moved(id, "archived");
    zset("archived").put(id, second());
  }

  void enterCompleted(String id, long until) {
    moved(id, "completed");
    zset("completed").put(id, until);
  }

  void enterActive(String id, ModelLease until) {
    ModelTask task = moved(id, "active");
    task.unset("pending_since");
    active.add(0, id);
    lease.put(id, until);
  }

  boolean lock(String key, String id, long ttl) {
    if (locks.containsKey(key)) {
      return false;
    }
    locks.put(key, id);
    lockEnds.put(key, System.nanoTime() / 1_000_000 + ttl * 1000);
    locksLeftByGo.remove(key);
    return true;
  }

  void release(String key, String id) {
    if (id.equals(locks.get(key))) {
      unlock(key);
    }
  }

  void unlock(String key) {
    locks.remove(key);
    lockEnds.remove(key);
    locksLeftByGo.remove(key);
  }

  void discard(String id) {
    ModelTask task = tasks.remove(id);
    if (task != null) {
      release(task.field("unique_key"), id);
    }
  }

  void count(long processed, long failed) {
    if (processed == 0) {
      return;
    }
    LocalDate day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    addToDay("processed:" + day, processed);
    addToDay("failed:" + day, failed);
    counters.merge("processed", processed, Long::sum);
    if (failed > 0) {
      counters.merge("failed", failed, Long::sum);
    }
  }

  private void addToDay(String key, long by) {
    if (by > 0) {
      counters.merge(key, by, Long::sum);
      counterEnds.putIfAbsent(key, second() + DAY_COUNTER_TTL);
    }
  }

  void dropEmptyGroup(String name) {
    Map<String, Long> members = group.get(name);
    if (members == null || members.isEmpty()) {
      group.remove(name);
      groups.remove(name);
      unlistedByGo.remove(name);
    }
  }

  @Nullable String containerOf(String id) {
    List<String> found = containersOf(id);
    return found.isEmpty() ? null : found.get(0);
  }

  /** The container of an id; several when an invariant is broken. */
  List<String> containersOf(String id) {
    List<String> found = new ArrayList<>();
    pending.stream().filter(id::equals).forEach(each -> found.add("pending"));
    active.stream().filter(id::equals).forEach(each -> found.add("active"));
    zsets.forEach(
        (state, ids) -> {
          if (ids.containsKey(id)) {
            found.add(state);
          }
        });
    group.values().stream()
        .filter(ids -> ids.containsKey(id))
        .forEach(x -> found.add("aggregating"));
    aggregationSets.values().stream()
        .filter(set -> set.members().containsKey(id))
        .forEach(set -> found.add("aggregating"));
    spent.values().stream()
        .filter(ids -> ids.containsKey(id))
        .forEach(x -> found.add("aggregating"));
    return found;
  }

  boolean isSetAside(String id) {
    return aggregationSets.values().stream().anyMatch(set -> set.members().containsKey(id))
        || spent.values().stream().anyMatch(ids -> ids.containsKey(id));
  }

  /** All keys of the queue, as {@link QueueDump} shows them. */
  Map<String, String> lines() {
    Map<String, String> lines = new TreeMap<>();
    put(lines, "pending", pending.isEmpty(), pending);
    put(lines, "active", active.isEmpty(), active);
    put(lines, "lease", lease.isEmpty(), lease);
    zsets.forEach((state, ids) -> put(lines, state, ids.isEmpty(), ids));
    put(lines, "groups", groups.isEmpty(), groups);
    group.forEach((name, ids) -> put(lines, "g:" + name, ids.isEmpty(), ids));
    Map<String, Long> expiries = new TreeMap<>();
    aggregationSets.forEach(
        (setId, set) -> {
          String key = RedisKeys.aggregationSet(queue, set.group(), setId);
          expiries.put(key, set.expiry());
          put(lines, "g:" + set.group() + ":" + setId, set.members().isEmpty(), set.members());
        });
    put(lines, "aggregation_sets", expiries.isEmpty(), expiries);
    put(lines, "spent", spent.isEmpty(), new TreeSet<>(spent.keySet()) + " until some time");
    spent.forEach(
        (setId, ids) -> put(lines, "spent:" + setId, ids.isEmpty(), ids + " until some time"));
    put(lines, "settings", settings.isEmpty(), settings);
    locks.forEach((key, id) -> lines.put(key.substring(RedisKeys.prefix(queue).length()), id));
    counters.forEach(
        (key, value) -> {
          Long until = counterEnds.get(key);
          lines.put(key, until == null ? value.toString() : value + " until " + until);
        });
    if (paused != null) {
      lines.put("paused", paused);
    }
    tasks.forEach((id, task) -> lines.put("t:" + id, task.line()));
    return lines;
  }

  private static void put(Map<String, String> lines, String key, boolean absent, Object value) {
    if (!absent) {
      lines.put(key, value.toString());
    }
  }

  static WireTask failed(WireTask message, String error, long second, boolean costsRetry) {
    return message.toBuilder()
        .setErrorMsg(error)
        .setLastFailedAt(second)
        .setRetried(message.getRetried() + (costsRetry ? 1 : 0))
        .build();
  }
}
