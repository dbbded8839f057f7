package io.asynq4j.internal.redis.simulation;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.fixture.SettableClock;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.ClaimBatch.QueueCondition;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.CrashRules.Recovery;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.wire.WireTask;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.store.task.RedisEnqueueOperations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Model of our transitions. */
final class ModelBroker {

  final Map<QueueName, ModelQueue> queues = new LinkedHashMap<>();
  final Set<String> registered = new TreeSet<>();

  /** Queues that were asked for since they were last checked. */
  final Set<QueueName> touched = new TreeSet<>();

  ModelBroker(List<QueueName> names, SettableClock clock) {
    names.forEach(name -> queues.put(name, new ModelQueue(name, clock)));
  }

  ModelQueue queue(QueueName name) {
    ModelQueue queue = queues.get(name);
    if (queue == null) {
      throw new IllegalStateException("the model has no queue " + name);
    }
    touched.add(name);
    return queue;
  }

  // Enqueueing.

  private record Lot(QueueName queue, Class<?> kind) {}

  /** Answers of the first calls that this takes; null for tasks that go by later ones. */
  List<@Nullable EnqueueReply> enqueue(List<NewTask> tasks, int calls) {
    Map<Lot, List<Integer>> lots = new LinkedHashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      Placement to = tasks.get(i).placement();
      Class<?> kind = to instanceof Placement.After ? Placement.At.class : to.getClass();
      lots.computeIfAbsent(new Lot(tasks.get(i).message().queue(), kind), x -> new ArrayList<>())
          .add(i);
    }
    @Nullable EnqueueReply[] answers = new EnqueueReply[tasks.size()];
    int call = 0;
    for (Map.Entry<Lot, List<Integer>> lot : lots.entrySet()) {
      if (call++ < calls) {
        registered.add(lot.getKey().queue().value());
        lot.getValue().forEach(i -> answers[i] = add(tasks.get(i)));
      }
    }
    return Arrays.asList(answers);
  }

  static WireTask wire(NewTask task) {
    try {
      return WireTask.parseFrom(MessageCodec.encode(RedisEnqueueOperations.stored(task)));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private EnqueueReply add(NewTask task) {
    ModelQueue queue = queue(task.message().queue());
    WireTask message = wire(task);
    String id = message.getId();
    String lock = message.getUniqueKey();
    if (!lock.isEmpty() && queue.locks.containsKey(lock)) {
      return EnqueueReply.duplicateOf(String.valueOf(queue.locks.get(lock)));
    }
    if (queue.tasks.containsKey(id)) {
      return EnqueueReply.ID_CONFLICT;
    }
    ModelTask record = new ModelTask();
    record.message = message;
    queue.tasks.put(id, record);
    long due = due(queue, task.placement());
    if (!lock.isEmpty()) {
      long wait = Math.max(0, -Math.floorDiv(-due, 1000L) - queue.second());
      queue.lock(lock, id, RedisEnqueueOperations.ttl(task) + wait);
      record.set("unique_key", lock);
    }
    String group = message.getGroupKey();
    if (task.placement() instanceof Placement.Pending) {
      queue.enterPending(id);
    } else if (task.placement() instanceof Placement.Grouped) {
      queue.enterGroup(id, group);
    } else {
      queue.enterAt("scheduled", id, due, isPrecise(task.placement()));
      if (!group.isEmpty()) {
        record.set("group", group);
        queue.list(group);
      }
    }
    return EnqueueReply.ENQUEUED;
  }

  private static long due(ModelQueue queue, Placement placement) {
    if (placement instanceof Placement.At at) {
      return at.when().toEpochMilli();
    }
    return placement instanceof Placement.After after
        ? queue.millis() + after.delay().toMillis()
        : queue.second() * 1000;
  }

  private static boolean isPrecise(Placement placement) {
    return (placement instanceof Placement.At at && at.precise())
        || (placement instanceof Placement.After after && after.precise());
  }

  // Working.

  record Claimable(List<String> ids, QueueCondition rest, @Nullable Instant heldUntil) {}

  /** What a claim would give now. */
  static Claimable claimable(ModelQueue queue, int max, QueueRules rules) {
    if (queue.paused != null) {
      return new Claimable(List.of(), QueueCondition.PAUSED, null);
    }
    boolean ordered = isOrdered(queue, rules);
    String set = queue.settings.get("max_active");
    int maxActive = ordered ? 1 : set == null ? rules.maxActive() : Integer.parseInt(set);
    int room = maxActive == 0 ? Integer.MAX_VALUE : maxActive - queue.lease.size();
    if (room <= 0) {
      return new Claimable(List.of(), QueueCondition.FULL, null);
    }
    int waiting = queue.pending.size();
    if (ordered && waiting > 0) {
      String hold = queue.task(queue.pending.get(waiting - 1)).field("hold_until");
      if (!hold.isEmpty() && Long.parseLong(hold) > queue.millis()) {
        return new Claimable(
            List.of(), QueueCondition.HELD, Instant.ofEpochMilli(Long.parseLong(hold)));
      }
    }
    int most = Math.min(max, room);
    List<String> ids = new ArrayList<>();
    for (int i = waiting - 1; i >= 0 && ids.size() < most; i--) {
      ids.add(queue.pending.get(i));
    }
    QueueCondition rest =
        ids.size() < most
            ? QueueCondition.EMPTY
            : room < max ? QueueCondition.FULL : QueueCondition.MORE;
    return new Claimable(ids, rest, null);
  }

  private static boolean isOrdered(ModelQueue queue, QueueRules rules) {
    String set = queue.settings.get("ordered");
    return set == null ? rules.ordered() : set.equals("1");
  }

  static void claim(ModelQueue queue, List<String> ids, long leaseSeconds, String token) {
    for (String id : ids) {
      queue.pending.remove(queue.pending.size() - 1);
      queue.enterActive(id, ModelLease.of(queue.second() + leaseSeconds, token));
      queue.task(id).set("claim", token);
      queue.task(id).unset("hold_until", "group", "due_ms");
    }
  }

  static boolean extend(ModelQueue queue, String id, String token, long leaseSeconds) {
    boolean mine = queue.holds(id, token);
    if (mine) {
      queue.lease.put(id, ModelLease.of(queue.second() + leaseSeconds, token));
    }
    return mine;
  }

  static boolean writeResult(ModelQueue queue, String id, String token, String result) {
    boolean mine = queue.holds(id, token);
    if (mine) {
      queue.task(id).set("result", result);
    }
    return mine;
  }

  private static final List<Function<Settlement, Boolean>> SETTLING_CALLS =
      List.of(
          s -> s instanceof Settlement.Complete || s instanceof Settlement.Drop,
          s -> s instanceof Settlement.Retry,
          s -> s instanceof Settlement.Reschedule,
          s -> s instanceof Settlement.Archive,
          s -> s instanceof Settlement.Requeue);

  /** Answers of the first calls that this takes; null for attempts that are settled by later. */
  static List<@Nullable SettleResult> settle(
      ModelQueue queue,
      List<Settlement> settlements,
      QueueRules rules,
      ArchiveRules archive,
      int calls) {
    @Nullable SettleResult[] answers = new SettleResult[settlements.size()];
    int call = 0;
    for (Function<Settlement, Boolean> kind : SETTLING_CALLS) {
      List<Integer> places = new ArrayList<>();
      for (int i = 0; i < settlements.size(); i++) {
        if (kind.apply(settlements.get(i))) {
          places.add(i);
        }
      }
      if (places.isEmpty() || call++ >= calls) {
        continue;
      }
      if (settlements.get(places.get(0)) instanceof Settlement.Requeue) {
        Collections.reverse(places);
      }
      int archived = 0;
      for (int place : places) {
        Settlement each = settlements.get(place);
        boolean mine = queue.holds(each.claim().id(), each.claim().token());
        if (mine) {
          queue.endLease(each.claim().id());
          settle(queue, each, isOrdered(queue, rules), archive);
          archived += each instanceof Settlement.Archive ? 1 : 0;
        }
        answers[place] = mine ? SettleResult.APPLIED : SettleResult.LEASE_LOST;
      }
      if (archived > 0) {
        trim(queue, archive, archived + 100);
      }
    }
    return Arrays.asList(answers);
  }

  private static void settle(
      ModelQueue queue, Settlement settlement, boolean ordered, ArchiveRules archive) {
    String id = settlement.claim().id();
    ModelTask task = queue.task(id);
    WireTask message;
    try {
      message = WireTask.parseFrom(MessageCodec.encode(settlement.claim().message()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
    task.unset("claim");
    if (settlement instanceof Settlement.Complete complete) {
      if (message.getRetention() > 0) {
        task.message = message.toBuilder().setCompletedAt(queue.second()).build();
        task.unset("crashes");
        if (complete.result().isPresent()) {
          task.set("result", complete.result().utf8());
        }
        queue.enterCompleted(id, -Math.floorDiv(-queue.millis(), 1000L) + message.getRetention());
      } else {
        queue.tasks.remove(id);
      }
      queue.release(message.getUniqueKey(), id);
      queue.count(1, 0);
    } else if (settlement instanceof Settlement.Drop) {
      queue.tasks.remove(id);
      queue.release(message.getUniqueKey(), id);
      queue.count(1, 0);
    } else if (settlement instanceof Settlement.Retry retry) {
      task.message = ModelQueue.failed(message, retry.error(), queue.second(), retry.failure());
      task.unset("crashes");
      later(queue, "retry", id, retry.delay().toMillis(), retry.precise(), ordered);
      int failures = retry.failure() ? 1 : 0;
      queue.count(failures, failures);
    } else if (settlement instanceof Settlement.Archive failed) {
      task.message = ModelQueue.failed(message, failed.error(), queue.second(), false);
      queue.enterArchive(id);
      if (archive.releaseLocks()) {
        queue.release(message.getUniqueKey(), id);
      }
      queue.count(1, 1);
    } else if (settlement instanceof Settlement.Reschedule snooze) {
      task.unset("crashes");
      later(queue, "scheduled", id, snooze.delay().toMillis(), snooze.precise(), ordered);
    } else {
      queue.enterHead(id);
    }
  }

  private static void later(
      ModelQueue queue, String state, String id, long delay, boolean precise, boolean ordered) {
    long due = queue.millis() + delay;
    if (ordered) {
      queue.enterHead(id);
      queue.task(id).set("hold_until", Long.toString(due));
    } else {
      queue.enterAt(state, id, due, precise);
    }
  }

  // Chores.

  static int forward(ModelQueue queue, int limit) {
    int moved = 0;
    for (String state : List.of("scheduled", "retry")) {
      for (String id : ModelQueue.inOrder(queue.zset(state))) {
        Long score = queue.zset(state).get(id);
        if (moved < limit && score != null && score <= queue.second() && isDue(queue, id, score)) {
          queue.zset(state).remove(id);
          ModelTask task = queue.task(id);
          task.unset("due_ms", "hold_until");
          String group = task.field("group");
          if (group.isEmpty()) {
            queue.enterPending(id);
          } else {
            queue.enterGroup(id, group);
          }
          moved++;
        }
      }
    }
    return moved;
  }

  /** An exact time counts only within the second that the score says: another's is out of date. */
  private static boolean isDue(ModelQueue queue, String id, long score) {
    String exact = queue.task(id).field("due_ms");
    return exact.isEmpty()
        || Math.floorDiv(Long.parseLong(exact), 1000L) != score
        || Long.parseLong(exact) <= queue.millis();
  }

  static Map<String, Recovery> recover(
      ModelQueue queue, int limit, CrashRules crash, QueueRules rules, ArchiveRules archive) {
    List<String> expired = new ArrayList<>();
    long longAgo = queue.second() - crash.goGrace().toSeconds();
    for (boolean graced : new boolean[] {true, false}) {
      for (String id : queue.leasesInOrder()) {
        ModelLease lease = Objects.requireNonNull(queue.lease.get(id));
        boolean over =
            graced
                ? lease.score() <= longAgo
                : lease.score() > longAgo && lease.score() <= queue.second() && !lease.isGo();
        if (over && expired.size() < limit) {
          expired.add(id);
        }
      }
    }
    // The newest first, so that they stand at the head as they stood.
    expired.sort(Comparator.comparingInt(queue.active::lastIndexOf));
    Map<String, Recovery> actions = new TreeMap<>();
    int archived = 0;
    for (String id : expired) {
      queue.endLease(id);
      ModelTask task = queue.task(id);
      int crashes =
          1 + (task.field("crashes").isEmpty() ? 0 : Integer.parseInt(task.field("crashes")));
      task.set("crashes", Integer.toString(crashes));
      task.unset("claim", "group", "due_ms");
      task.message =
          ModelQueue.failed(
              task.message(), "asynq: task lease expired", queue.second(), /* costsRetry= */ false);
      if (crashes >= crash.maxCrashes()) {
        queue.enterArchive(id);
        if (archive.releaseLocks()) {
          queue.release(task.message().getUniqueKey(), id);
        }
        archived++;
        actions.put(id, Recovery.ARCHIVE);
      } else if (crashes == 1) {
        queue.enterHead(id);
        actions.put(id, Recovery.PENDING);
      } else {
        long delay = crash.delay().toMillis() << Math.min(crashes - 2, 16);
        later(queue, "retry", id, delay, false, isOrdered(queue, rules));
        actions.put(id, Recovery.RETRY);
      }
    }
    queue.count(archived, archived);
    if (archived > 0) {
      trim(queue, archive, archived + 100);
    }
    return actions;
  }

  static int expire(ModelQueue queue, int limit) {
    int gone = 0;
    for (String id : ModelQueue.inOrder(queue.zset("completed"))) {
      Long until = queue.zset("completed").get(id);
      if (gone < limit && until != null && until <= queue.second()) {
        queue.zset("completed").remove(id);
        queue.discard(id);
        gone++;
      }
    }
    return gone;
  }

  static int trim(ModelQueue queue, ArchiveRules rules, int limit) {
    Map<String, Long> archived = queue.zset("archived");
    long tooOld = queue.second() - rules.maxAge().toSeconds();
    int gone = 0;
    for (String id : ModelQueue.inOrder(archived)) {
      Long at = archived.get(id);
      boolean goes = at != null && (at <= tooOld || archived.size() > rules.maxSize());
      if (gone < limit && goes) {
        archived.remove(id);
        queue.discard(id);
        gone++;
      }
    }
    return gone;
  }

  static int relistGroups(ModelQueue queue) {
    int listed = 0;
    for (String name : List.copyOf(queue.group.keySet())) {
      listed += queue.groups.contains(name) ? 0 : 1;
      queue.list(name);
    }
    return listed;
  }

  // Aggregation.

  /** The members that would be put aside. */
  static List<String> ripe(ModelQueue queue, String group, GroupRules rules) {
    Map<String, Long> members = queue.group.getOrDefault(group, Map.of());
    List<String> ids = ModelQueue.inOrder(members);
    if (ids.isEmpty()) {
      return ids;
    }
    long oldest = Objects.requireNonNull(members.get(ids.get(0)));
    long newest = Objects.requireNonNull(members.get(ids.get(ids.size() - 1)));
    boolean enough = rules.maxSize() > 0 && ids.size() >= rules.maxSize();
    boolean overdue =
        !rules.maxDelay().isZero() && oldest <= queue.second() - rules.maxDelay().toSeconds();
    boolean quiet = newest <= queue.second() - rules.grace().toSeconds();
    if (!(enough || overdue || quiet)) {
      return List.of();
    }
    return enough ? ids.subList(0, rules.maxSize()) : ids;
  }

  static void aggregate(
      ModelQueue queue, String group, String setId, List<String> ids, GroupRules rules) {
    Map<String, Long> members = Objects.requireNonNull(queue.group.get(group));
    Map<String, Long> aside = new TreeMap<>();
    for (String id : ids) {
      aside.put(id, Objects.requireNonNull(members.remove(id)));
    }
    queue.dropEmptyGroup(group);
    queue.aggregationSets.put(
        setId, new ModelAggregationSet(group, queue.second() + rules.timeout().toSeconds(), aside));
  }

  FinishAnswer finish(ModelQueue queue, String setId, @Nullable NewTask aggregated) {
    if (!queue.aggregationSets.containsKey(setId)) {
      return FinishAnswer.SET_LOST;
    }
    if (aggregated != null) {
      EnqueueReply answer = add(aggregated);
      if (answer.status() != EnqueueReply.Status.ENQUEUED) {
        return answer.status() == EnqueueReply.Status.DUPLICATE
            ? FinishAnswer.DUPLICATE
            : FinishAnswer.ID_CONFLICT;
      }
    }
    ModelAggregationSet set = Objects.requireNonNull(queue.aggregationSets.remove(setId));
    if (!set.members().isEmpty()) {
      queue.spent.put(setId, new TreeMap<>(set.members()));
    }
    return FinishAnswer.DONE;
  }

  static int giveBack(ModelQueue queue, String setId, boolean byGo) {
    ModelAggregationSet set = queue.aggregationSets.remove(setId);
    if (set == null || set.members().isEmpty()) {
      return 0;
    }
    queue.group.computeIfAbsent(set.group(), any -> new TreeMap<>()).putAll(set.members());
    if (!byGo) {
      queue.list(set.group());
    } else if (!queue.groups.contains(set.group())) {
      queue.unlistedByGo.add(set.group());
    }
    return set.members().size();
  }

  static int reclaimStale(ModelQueue queue, boolean byGo) {
    int moved = 0;
    for (String setId : List.copyOf(queue.aggregationSets.keySet())) {
      ModelAggregationSet set = Objects.requireNonNull(queue.aggregationSets.get(setId));
      if (set.expiry() <= queue.second()) {
        moved += giveBack(queue, setId, byGo);
      }
    }
    return moved;
  }

  static int sweep(ModelQueue queue, String setId, int limit) {
    Map<String, Long> members = Objects.requireNonNull(queue.spent.get(setId));
    int gone = 0;
    for (String id : ModelQueue.inOrder(members)) {
      if (gone < limit) {
        members.remove(id);
        queue.discard(id);
        gone++;
      }
    }
    if (members.isEmpty()) {
      queue.spent.remove(setId);
    }
    return gone;
  }

  // Operators.

  private static final ActionAnswer DONE = new ActionAnswer(Status.DONE, null);

  private static @Nullable ActionAnswer refusal(
      ModelQueue queue, String id, Set<String> forbidden, boolean needsMessage) {
    ModelTask task = queue.tasks.get(id);
    if (task == null) {
      return new ActionAnswer(Status.NOT_FOUND, null);
    }
    if (needsMessage && (task.message == null || task.state().isEmpty())) {
      return new ActionAnswer(Status.NO_MESSAGE, null);
    }
    boolean setAside = task.state().equals("aggregating") && queue.isSetAside(id);
    return forbidden.contains(task.state()) || setAside
        ? new ActionAnswer(Status.WRONG_STATE, TaskState.ofWord(task.state()))
        : null;
  }

  private static void takeOut(ModelQueue queue, String id) {
    ModelTask task = queue.task(id);
    String state = task.state();
    if (state.equals("pending")) {
      queue.pending.remove(id);
    } else if (state.equals("aggregating")) {
      Map<String, Long> members = queue.group.get(task.field("group"));
      if (members != null) {
        members.remove(id);
      }
      queue.dropEmptyGroup(task.field("group"));
    } else if (!state.isEmpty()) {
      queue.zset(state).remove(id);
    }
  }

  static ActionAnswer run(ModelQueue queue, String id) {
    ActionAnswer refusal = refusal(queue, id, Set.of("active", "pending"), true);
    if (refusal != null) {
      return refusal;
    }
    takeOut(queue, id);
    queue.task(id).unset("group", "due_ms", "hold_until", "crashes", "quarantine", "claim");
    queue.enterPending(id);
    return DONE;
  }

  static List<ActionAnswer> archive(ModelQueue queue, List<String> ids, ArchiveRules rules) {
    List<ActionAnswer> answers = new ArrayList<>();
    int moved = 0;
    for (String id : ids) {
      ActionAnswer refusal = refusal(queue, id, Set.of("active", "archived"), true);
      if (refusal == null) {
        takeOut(queue, id);
        ModelTask task = queue.task(id);
        task.unset("pending_since", "hold_until", "due_ms", "group", "claim");
        queue.enterArchive(id);
        if (rules.releaseLocks()) {
          queue.release(task.field("unique_key"), id);
        }
        moved++;
      }
      answers.add(refusal == null ? DONE : refusal);
    }
    if (moved > 0) {
      trim(queue, rules, moved + 100);
    }
    return answers;
  }

  static ActionAnswer delete(ModelQueue queue, String id) {
    ActionAnswer refusal = refusal(queue, id, Set.of("active"), false);
    if (refusal != null) {
      return refusal;
    }
    takeOut(queue, id);
    queue.discard(id);
    return DONE;
  }

  /** What keeps an update from being done, or null. */
  static @Nullable String updatePayload(ModelQueue queue, String id, String payload) {
    ModelTask task = queue.tasks.get(id);
    if (task == null || task.state().isEmpty()) {
      return "not found";
    }
    if (task.state().equals("active") || task.state().equals("completed") || queue.isSetAside(id)) {
      return task.state();
    }
    String oldLock = task.message().getUniqueKey();
    String newLock =
        oldLock.isEmpty()
            ? ""
            : RedisKeys.unique(queue.queue, task.message().getType(), Payload.ofUtf8(payload));
    if (!newLock.equals(oldLock) && id.equals(queue.locks.get(oldLock))) {
      String holder = queue.locks.get(newLock);
      if (holder != null) {
        return holder;
      }
      long end = Objects.requireNonNull(queue.lockEnds.get(oldLock));
      queue.unlock(oldLock);
      queue.locks.put(newLock, id);
      queue.lockEnds.put(newLock, end);
      task.set("unique_key", newLock);
    }
    task.message =
        task.message().toBuilder()
            .setPayload(ByteString.copyFromUtf8(payload))
            .setUniqueKey(newLock)
            .build();
    return null;
  }
}
