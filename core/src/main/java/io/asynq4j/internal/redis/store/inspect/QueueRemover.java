package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.QueueNotEmptyException;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.inspect.QueueRemoval;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.task.QueueRegistry;
import io.asynq4j.internal.redis.store.task.RedisAggregation;
import io.asynq4j.internal.redis.store.task.RedisUpkeep;
import redis.clients.jedis.Protocol.Command;

/** Removes queues; if forced, with all their tasks. Thread-safe. */
public record QueueRemover(
    ScriptRunner scripts,
    RedisCommandExecutor link,
    QueueRegistry registry,
    QueueReader queues,
    RedisOperatorActions actions,
    RedisAggregation aggregation,
    RedisUpkeep upkeep)
    implements QueueRemoval {

  @Override
  public void remove(QueueName queue, boolean force) {
    queues.requireQueue(queue);
    // Entries without an active task must not prevent the removal; a lost lease must.
    upkeep.repair(queue);
    if (force) {
      if (ReplyParser.number(link.callSafe(Command.ZCARD, RedisKeys.of(queue, "lease"))) > 0) {
        throw new QueueNotEmptyException(queue, TaskState.ACTIVE.word());
      }
      empty(queue);
    }
    Object left = scripts.run(Script.REMOVE_QUEUE, queue, new CommandArgs());
    if (!(left instanceof Long)) {
      throw new QueueNotEmptyException(queue, ReplyParser.text(left));
    }
    registry.remove(queue);
  }

  private void empty(QueueName queue) {
    for (TaskState state : TaskState.values()) {
      if (state != TaskState.ACTIVE && state != TaskState.AGGREGATING) {
        actions.deleteAll(queue, state, null, progress -> {});
      }
    }
    aggregation.reclaimAll(queue);
    upkeep.relistGroups(queue);
    for (String group : aggregation.groups(queue)) {
      actions.deleteAll(queue, TaskState.AGGREGATING, group, progress -> {});
    }
    int swept;
    do {
      swept = aggregation.sweep(queue, BatchSplitter.MAX);
    } while (swept > 0);
    // Leftovers of the Go implementation: records in no container, and locks of deleted tasks.
    upkeep.scan(queue, "t:", ids -> actions.delete(queue, ids));
    upkeep.scan(queue, "unique:", locks -> locks.forEach(lock -> dropAbandoned(queue, lock)));
  }

  private void dropAbandoned(QueueName queue, String lock) {
    String key = RedisKeys.of(queue, "unique:" + lock);
    Object holder = link.callSafe(Command.GET, key);
    String task = RedisKeys.task(queue, ReplyParser.text(holder));
    if (ReplyParser.number(link.callSafe(Command.EXISTS, task)) == 0) {
      link.callSafe(Command.DEL, key);
    }
  }
}
