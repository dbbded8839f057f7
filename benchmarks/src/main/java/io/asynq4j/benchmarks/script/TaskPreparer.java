package io.asynq4j.benchmarks.script;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskOptions;
import io.asynq4j.benchmarks.harness.BenchmarkRedis;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.broker.SettleResult;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Creates tasks in the states that a measurement starts with. */
final class TaskPreparer {

  static final int MAX_BATCH = 50;
  static final int PAYLOAD_BYTES = 200;
  static final Duration LONG = Duration.ofHours(1);
  static final ArchiveRules KEEP_ALL =
      new ArchiveRules(Integer.MAX_VALUE, Duration.ofDays(90), /* releaseLocks= */ false);

  private final BenchmarkRedis redis;
  private final Broker broker;
  private final QueueName queue;

  TaskPreparer(BenchmarkRedis redis) {
    this.redis = redis;
    this.broker = redis.broker();
    this.queue = redis.newQueue();
  }

  /** Name of a key of this queue. */
  String key(String word) {
    return "asynq:{" + queue.value() + "}:" + word;
  }

  Broker broker() {
    return broker;
  }

  QueueName queue() {
    return queue;
  }

  NewTask task(UnaryOperator<TaskOptions.Builder> options) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    ThreadLocalRandom.current().nextBytes(payload);
    return NewTask.of(
        Task.of("benchmark:task", Payload.of(payload)),
        TaskOptions.of(builder -> options.apply(builder.queue(queue.value()))),
        Instant.EPOCH);
  }

  List<NewTask> tasks(int count, UnaryOperator<TaskOptions.Builder> options) {
    List<NewTask> tasks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      tasks.add(task(options));
    }
    return tasks;
  }

  /** Enqueues tasks in the largest possible calls. Returns their IDs. */
  List<String> enqueue(int count, UnaryOperator<TaskOptions.Builder> options) {
    return inParts(
        count,
        size -> {
          List<NewTask> tasks = tasks(size, options);
          require(broker.enqueueing().enqueue(tasks));
          return tasks.stream().map(task -> task.message().id()).toList();
        });
  }

  List<String> pending(int count) {
    return enqueue(count, options -> options);
  }

  List<String> scheduled(int count) {
    return enqueue(count, options -> options.processIn(LONG));
  }

  /** Scheduled tasks that are due. */
  void due(int count) {
    inParts(
        count,
        size -> {
          Placement past = new Placement.At(Instant.ofEpochSecond(1), /* precise= */ false);
          List<NewTask> tasks =
              tasks(size, options -> options).stream()
                  .map(task -> new NewTask(task.message(), past, null))
                  .toList();
          require(broker.enqueueing().enqueue(tasks));
          return tasks;
        });
  }

  List<String> grouped(String group, int count) {
    return enqueue(count, options -> options.group(group));
  }

  List<String> archived(int count) {
    return inParts(
        count,
        size -> {
          List<String> ids = scheduled(size);
          broker.actions().archive(queue, ids, KEEP_ALL, WhenFull.DROP_OLDEST);
          return ids;
        });
  }

  List<Claim> active(int count, Duration lease) {
    return active(count, lease, options -> options);
  }

  List<Claim> active(int count, Duration lease, UnaryOperator<TaskOptions.Builder> options) {
    return inParts(
        count,
        size -> {
          enqueue(size, options);
          return claim(size, lease);
        });
  }

  List<Claim> claim(int count, Duration lease) {
    List<Claim> claims = broker.leases().claim(queue, count, lease, QueueRules.NONE).claims();
    if (claims.size() != count) {
      throw new IllegalStateException("claimed " + claims.size() + " of " + count);
    }
    return claims;
  }

  void settle(List<? extends Settlement> settlements, ArchiveRules rules) {
    for (SettleResult settled :
        broker.leases().settle(queue, settlements, QueueRules.NONE, rules)) {
      if (settled != SettleResult.APPLIED) {
        throw new IllegalStateException("not settled: " + settled);
      }
    }
  }

  void complete(List<Claim> claims) {
    settle(
        claims.stream().map(claim -> new Settlement.Complete(claim, Payload.absent())).toList(),
        ArchiveRules.DEFAULT);
  }

  /** Moves the times of tasks in a container far into the past. */
  void makeOverdue(String container, List<String> ids) {
    for (int from = 0; from < ids.size(); from += MAX_BATCH) {
      Map<String, Double> scores = new HashMap<>();
      // Not a whole second: leases that end on a whole second are those of Go workers.
      ids.subList(from, Math.min(from + MAX_BATCH, ids.size())).forEach(id -> scores.put(id, 1.5));
      redis.admin().zadd(key(container), scores);
    }
  }

  /** Overwrites the message of a task with invalid data. */
  void corrupt(String id) {
    redis.admin().hset(key("t:" + id), "msg", "not a message");
  }

  /** Removes running tasks from the active list and keeps their leases. */
  void forgetActive() {
    redis.admin().del(key("active"));
  }

  /** Removes aggregation sets in progress. */
  void forgetSets() {
    redis.admin().del(key("aggregation_sets"));
  }

  /** Deletes all pending tasks. */
  void drain() {
    List<Claim> claims;
    do {
      claims = broker.leases().claim(queue, MAX_BATCH, LONG, QueueRules.NONE).claims();
      settle(claims.stream().map(Settlement.Drop::new).toList(), KEEP_ALL);
    } while (!claims.isEmpty());
  }

  /** Deletes the oldest archived tasks above a number. */
  void trimTo(int archived) {
    ArchiveRules rules = new ArchiveRules(archived, KEEP_ALL.maxAge(), /* releaseLocks= */ false);
    int trimmed;
    do {
      trimmed = broker.upkeep().trim(queue, MAX_BATCH, rules);
    } while (trimmed > 0);
  }

  static void require(List<EnqueueReply> answers) {
    for (EnqueueReply answer : answers) {
      if (!answer.equals(EnqueueReply.ENQUEUED)) {
        throw new IllegalStateException("not enqueued: " + answer);
      }
    }
  }

  private static <T> List<T> inParts(int count, Function<Integer, List<T>> part) {
    List<T> all = new ArrayList<>();
    for (int left = count; left > 0; left -= MAX_BATCH) {
      all.addAll(part.apply(Math.min(left, MAX_BATCH)));
    }
    return all;
  }
}
