package io.asynq4j.redis;

import io.asynq4j.QueueName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What holds in Redis whenever no script is running: the invariants I1 to I8 of protocol section
 * 7.5, for all queues, and a few of our own. Each violation is one sentence.
 */
final class RedisInvariants {

  private static final int LARGEST_ARCHIVE = 9_999;

  private static final Set<String> STATES_IN_LISTS = Set.of("pending", "active");
  private static final Set<String> STATES_IN_SETS =
      Set.of("scheduled", "retry", "archived", "completed");

  /** What else a queue may have. */
  private static final Pattern OTHER_KEYS =
      Pattern.compile(
          "lease|paused|groups|aggregation_sets|settings|spent|(processed|failed)(:\\d{4}-\\d\\d-\\d\\d)?"
              + "|(t|g|unique|lane|spent):.*",
          Pattern.DOTALL);

  private static final Pattern QUEUE_OF_KEY = Pattern.compile("asynq:\\{(.+?)}:.*", Pattern.DOTALL);

  private final RedisSnapshot snapshot;
  private final List<String> violations = new ArrayList<>();

  private RedisInvariants(RedisSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /** Raises one error that tells all that is wrong. */
  static void assertHold(TestRedis server) {
    RedisSnapshot snapshot = RedisSnapshot.of(server);
    List<String> violations = violations(snapshot);
    if (!violations.isEmpty()) {
      throw new AssertionError(
          violations.size()
              + " invariants do not hold:\n  "
              + String.join("\n  ", violations)
              + "\nin\n"
              + RedisTextDump.of(server));
    }
  }

  static List<String> violations(RedisSnapshot snapshot) {
    RedisInvariants invariants = new RedisInvariants(snapshot);
    Set<String> registered = invariants.registered();
    invariants
        .keysByQueue(registered)
        .forEach((queue, keys) -> invariants.new Queue(queue, keys).check(registered));
    return invariants.violations;
  }

  private Set<String> registered() {
    RedisSnapshot.Entry queues = snapshot.entries().get(RedisKeys.QUEUES);
    return queues == null ? Set.of() : new TreeSet<>(queues.texts());
  }

  /** A name may hold braces and colons, so registered ones are tried before one is guessed. */
  private Map<String, Map<String, RedisSnapshot.Entry>> keysByQueue(Set<String> registered) {
    Map<String, Map<String, RedisSnapshot.Entry>> queues = new TreeMap<>();
    snapshot
        .entries()
        .forEach(
            (key, entry) -> {
              if (!key.startsWith("asynq:{")) {
                return;
              }
              String queue = queueOf(key, registered);
              String word = key.substring(("asynq:{" + queue + "}:").length());
              queues.computeIfAbsent(queue, name -> new TreeMap<>()).put(word, entry);
            });
    return queues;
  }

  private static String queueOf(String key, Set<String> registered) {
    for (String name : registered) {
      if (key.startsWith("asynq:{" + name + "}:")) {
        return name;
      }
    }
    Matcher matcher = QUEUE_OF_KEY.matcher(key);
    if (!matcher.matches()) {
      throw new AssertionError("not a key of a queue: " + key);
    }
    return matcher.group(1);
  }

  /** The invariants of one queue. Keys go without its prefix. */
  private final class Queue {
    private final String queue;
    private final Map<String, RedisSnapshot.Entry> keys;
    private final Map<String, String> containerOf = new HashMap<>();

    Queue(String queue, Map<String, RedisSnapshot.Entry> keys) {
      this.queue = queue;
      this.keys = keys;
    }

    void check(Set<String> registered) {
      checkNames();
      STATES_IN_LISTS.forEach(state -> checkContainer(state, state, listed(state)));
      STATES_IN_SETS.forEach(state -> checkContainer(state, state, scores(state).keySet()));
      checkGroups();
      checkSpent();
      checkLeases();
      checkRecords();
      checkLocks();
      checkCounters();
      if (!registered.contains(queue) && containerOf.size() > 0) {
        violated("I7", "the queue has tasks and is not registered");
      }
      if (scores("archived").size() > LARGEST_ARCHIVE) {
        violated("I8", "the archive holds " + scores("archived").size());
      }
    }

    private void checkNames() {
      for (String key : keys.keySet()) {
        if (!STATES_IN_LISTS.contains(key)
            && !STATES_IN_SETS.contains(key)
            && !OTHER_KEYS.matcher(key).matches()) {
          violated("I0", "nobody knows the key " + key);
        }
      }
    }

    private List<String> listed(String key) {
      RedisSnapshot.Entry entry = keys.get(key);
      return entry == null ? List.of() : entry.texts();
    }

    private Map<String, String> scores(String key) {
      RedisSnapshot.Entry entry = keys.get(key);
      return entry == null ? Map.of() : entry.textPairs();
    }

    private void checkContainer(String container, String state, Iterable<String> ids) {
      for (String id : ids) {
        String other = containerOf.put(id, container);
        if (other != null) {
          violated("I2", id + " is in " + other + " and in " + container);
        }
        RedisSnapshot.Entry entry = keys.get("t:" + id);
        if (entry == null) {
          violated("I1", id + " in " + container + " has no record");
        } else {
          checkRecord(id, container, state, entry.pairs());
        }
      }
    }

    private void checkRecord(
        String id, String container, String state, Map<String, byte[]> record) {
      String own = text(record, "state");
      if (!own.equals(state)) {
        violated("I1", id + " in " + container + " has state " + own);
      }
      byte[] message = record.get("msg");
      if (message == null) {
        violated("I1", id + " in " + container + " has no message");
      } else if (!record.containsKey("quarantine")) {
        try {
          MessageCodec.decode(message, QueueName.of(queue), id);
        } catch (UnreadableMessageException e) {
          violated("I1", id + " in " + container + " is unreadable: " + e.getMessage());
        }
      }
    }

    private void checkGroups() {
      Set<String> listed = new HashSet<>(listed("groups"));
      Map<String, String> sets = scores("aggregation_sets");
      for (Map.Entry<String, RedisSnapshot.Entry> key : keys.entrySet()) {
        if (!key.getKey().startsWith("g:")) {
          continue;
        }
        Map<String, String> members = key.getValue().textPairs();
        checkContainer(key.getKey(), "aggregating", members.keySet());
        boolean isSet = sets.containsKey("asynq:{" + queue + "}:" + key.getKey());
        String group = key.getKey().substring("g:".length());
        if (!isSet && !listed.contains(group)) {
          violated("I5", "group " + group + " holds " + members.keySet() + " and is not listed");
        }
        for (String id : members.keySet()) {
          checkGroupOf(id, isSet ? group.substring(0, group.lastIndexOf(':')) : group);
        }
      }
    }

    private void checkGroupOf(String id, String group) {
      RedisSnapshot.Entry entry = keys.get("t:" + id);
      if (entry != null && !text(entry.pairs(), "group").equals(group)) {
        violated("I5", id + " is in group " + group + " and says " + text(entry.pairs(), "group"));
      }
    }

    /** Tasks that were aggregated wait, as what they were, to be swept away. */
    private void checkSpent() {
      Set<String> listed = new HashSet<>(listed("spent"));
      for (Map.Entry<String, RedisSnapshot.Entry> key : keys.entrySet()) {
        if (key.getKey().startsWith("spent:")) {
          for (String id : key.getValue().textPairs().keySet()) {
            containerOf.put(id, key.getKey());
          }
          if (!listed.contains(key.getKey().substring("spent:".length()))) {
            violated("I5", key.getKey() + " is not listed, so nobody will sweep it");
          }
        }
      }
    }

    private void checkLeases() {
      Map<String, String> leases = scores("lease");
      Set<String> active = new HashSet<>(listed("active"));
      for (String id : leases.keySet()) {
        if (!active.contains(id)) {
          violated("I2", id + " has a lease and is not active");
        }
      }
      for (String id : active) {
        String lease = leases.get(id);
        if (lease == null) {
          violated("I2", id + " is active and has no lease");
        } else {
          checkFence(id, lease);
        }
      }
    }

    /** The six digits behind the point are those of the claim; Go writes neither. */
    private void checkFence(String id, String lease) {
      RedisSnapshot.Entry entry = keys.get("t:" + id);
      String claim = entry == null ? "" : text(entry.pairs(), "claim");
      long digits = Math.round(Double.parseDouble(lease) % 1 * 1_000_000);
      if (digits != 0 && !claim.startsWith(String.format("%06d-", digits))) {
        violated("I2", id + " has lease " + lease + " of another claim than " + claim);
      }
    }

    private void checkRecords() {
      for (Map.Entry<String, RedisSnapshot.Entry> key : keys.entrySet()) {
        if (!key.getKey().startsWith("t:")) {
          continue;
        }
        String id = key.getKey().substring("t:".length());
        Map<String, byte[]> record = key.getValue().pairs();
        String state = text(record, "state");
        if (!containerOf.containsKey(id)) {
          violated("I2", id + " has a record and is in no container, with state " + state);
        }
        onlyWhile(record, "pending_since", Set.of("pending"), id);
        onlyWhile(record, "hold_until", Set.of("pending"), id);
        onlyWhile(record, "claim", Set.of("active"), id);
        onlyWhile(record, "due_ms", Set.of("scheduled", "retry"), id);
        onlyWhile(record, "quarantine", Set.of("archived"), id);
      }
    }

    private void onlyWhile(
        Map<String, byte[]> record, String field, Set<String> states, String id) {
      if (record.containsKey(field) && !states.contains(text(record, "state"))) {
        violated("I3", id + " is " + text(record, "state") + " and has " + field);
      }
    }

    private void checkLocks() {
      for (Map.Entry<String, RedisSnapshot.Entry> key : keys.entrySet()) {
        if (key.getKey().startsWith("unique:")) {
          String holder = key.getValue().texts().get(0);
          if (key.getValue().ttlMillis() < 0) {
            violated("I4", key.getKey() + " of " + holder + " never ends");
          }
        }
      }
    }

    private void checkCounters() {
      for (String key : keys.keySet()) {
        if (key.equals("processed") || key.startsWith("processed:")) {
          checkCounter(key);
        } else if (key.equals("failed") || key.startsWith("failed:")) {
          checkCounter(key);
          String processed = key.replace("failed", "processed");
          if (counter(key) > counter(processed)) {
            violated(
                "I6", key + " is " + counter(key) + " and " + processed + " " + counter(processed));
          }
        }
      }
    }

    private void checkCounter(String key) {
      boolean ofADay = key.indexOf(':') > 0;
      if (ofADay == Objects.requireNonNull(keys.get(key)).ttlMillis() < 0) {
        violated("I6", key + (ofADay ? " never ends" : " ends some day"));
      }
    }

    private long counter(String key) {
      RedisSnapshot.Entry entry = keys.get(key);
      return entry == null ? 0 : Long.parseLong(entry.texts().get(0));
    }

    private void violated(String invariant, String what) {
      violations.add(invariant + " in queue " + queue + ": " + what);
    }
  }

  private static String text(Map<String, byte[]> record, String field) {
    byte[] value = record.get(field);
    return value == null ? "" : RedisSnapshot.text(value);
  }
}
