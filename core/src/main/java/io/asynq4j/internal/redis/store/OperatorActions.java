package io.asynq4j.internal.redis.store;

import io.asynq4j.QueueName;
import io.asynq4j.QueueNotEmptyException;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.ActionAnswer.Status;
import io.asynq4j.internal.broker.Inspection.Archived;
import io.asynq4j.internal.broker.Inspection.ArchivedAll;
import io.asynq4j.internal.broker.Inspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.command.ResendPolicy;
import io.asynq4j.internal.redis.connection.RedisCommandExecutor;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/** What operators do to tasks: to some by their ids, to all of a state, to a whole queue. */
final class OperatorActions {

  /** A task that changes so often is not one that anybody can look at. */
  private static final int MOST_LOOKS = 20;

  private final ScriptRunner scripts;
  private final RedisCommandExecutor link;
  private final QueueRegistry registry;
  private final RedisInspection inspection;
  private final RedisAggregation aggregation;
  private final RedisUpkeep upkeep;
  private final ArchiveTrimmer archives;

  OperatorActions(
      ScriptRunner scripts,
      RedisCommandExecutor link,
      QueueRegistry registry,
      RedisInspection inspection,
      RedisAggregation aggregation,
      RedisUpkeep upkeep) {
    this.scripts = scripts;
    this.link = link;
    this.registry = registry;
    this.inspection = inspection;
    this.aggregation = aggregation;
    this.upkeep = upkeep;
    this.archives = new ArchiveTrimmer(scripts);
  }

  List<ActionAnswer> run(QueueName queue, List<String> ids) {
    return act(Script.RUN, queue, new CommandArgs(), ids);
  }

  Archived archive(QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull) {
    CommandArgs limits =
        new CommandArgs()
            .add(rules.maxSize())
            .add(rules.maxAge().toSeconds())
            .add(rules.releaseLocks())
            .add(whenFull == WhenFull.DROP_OLDEST);
    LongAdder dropped = new LongAdder();
    List<ActionAnswer> answers =
        act(
            Script.ARCHIVE_WAITING,
            queue,
            limits,
            ids,
            (tried, rest) -> {
              int tooOld = ReplyParser.integer(rest.get(0));
              int trimmed = ReplyParser.integer(rest.get(1));
              int gone = trimmed + archives.trimOn(queue, tried, trimmed, rules);
              dropped.add(Math.max(0, gone - tooOld));
            });
    return new Archived(answers, dropped.sum());
  }

  ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      IntConsumer progress) {
    LongAdder dropped = new LongAdder();
    AtomicBoolean full = new AtomicBoolean();
    int done =
        all(
            queue,
            state,
            group,
            ids -> {
              Archived archived = archive(queue, ids, rules, whenFull);
              dropped.add(archived.dropped());
              archived.answers().stream()
                  .filter(answer -> answer.verdict() == Status.ARCHIVE_FULL)
                  .findAny()
                  .ifPresent(answer -> full.set(true));
              return archived.answers();
            },
            full::get,
            progress);
    return new ArchivedAll(done, dropped.sum(), full.get());
  }

  List<ActionAnswer> delete(QueueName queue, List<String> ids) {
    return act(Script.DELETE, queue, new CommandArgs().addEmpty().addEmpty(), ids);
  }

  /**
   * Deletes a task if it is as the caller wants it to be. When somebody changes it between the look
   * and the deletion, it is looked at again.
   */
  boolean deleteIf(QueueName queue, String id, Predicate<TaskInfo> condition) {
    for (int tries = 0; tries < MOST_LOOKS; tries++) {
      TaskRow row = inspection.row(queue, id);
      if (!condition.test(RedisInspection.info(row))) {
        return false;
      }
      CommandArgs args = new CommandArgs(3).addEmpty().add(row.fingerprint()).add(id);
      Object reply = ReplyParser.list(scripts.run(Script.DELETE, queue, args)).get(0);
      if (!(reply instanceof Long code)) {
        throw new TaskStateException(
            queue, id, "cannot be deleted while it is " + ReplyParser.text(reply));
      } else if (code == 0) {
        throw new TaskNotFoundException(queue, id);
      } else if (code == 1) {
        return true;
      }
    }
    throw RedisInspection.changedMeanwhile(queue, id);
  }

  List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due) {
    CommandArgs head = new CommandArgs().add(due.toEpochMilli());
    return act(Script.RESCHEDULE_WAITING, queue, head, ids);
  }

  /**
   * Deletes tasks that were found in a container, and takes ids out of it that stand for no task.
   */
  List<ActionAnswer> deleteFrom(
      QueueName queue, TaskState state, @Nullable String group, List<String> ids) {
    String container =
        group == null ? RedisKeys.of(queue, state.word()) : RedisKeys.group(queue, group);
    return act(Script.DELETE, queue, new CommandArgs().add(container).addEmpty(), ids);
  }

  private List<ActionAnswer> act(
      Script script, QueueName queue, CommandArgs head, List<String> ids) {
    return act(script, queue, head, ids, (tried, rest) -> {});
  }

  /** What a script replies besides its answers for so many tasks. */
  private interface Rest {
    void of(int tried, List<@Nullable Object> rest);
  }

  private List<ActionAnswer> act(
      Script script, QueueName queue, CommandArgs head, List<String> ids, Rest rest) {
    inspection.requireQueue(queue);
    List<ActionAnswer> answers = new ArrayList<>(ids.size());
    for (List<String> batch : BatchSplitter.of(ids)) {
      CommandArgs args = new CommandArgs(head.size() + batch.size());
      head.values().forEach(args::add);
      batch.forEach(args::add);
      List<@Nullable Object> replies = ReplyParser.list(scripts.run(script, queue, args));
      replies.subList(0, batch.size()).forEach(reply -> answers.add(answer(reply)));
      rest.of(batch.size(), replies.subList(batch.size(), replies.size()));
    }
    return answers;
  }

  private static ActionAnswer answer(@Nullable Object reply) {
    if (reply instanceof Long code) {
      return new ActionAnswer(verdict(code), null);
    }
    return new ActionAnswer(Status.WRONG_STATE, TaskState.ofWord(ReplyParser.text(reply)));
  }

  private static Status verdict(long code) {
    if (code == 1) {
      return Status.DONE;
    } else if (code == 0) {
      return Status.NOT_FOUND;
    }
    return code == -2 ? Status.ARCHIVE_FULL : Status.NO_MESSAGE;
  }

  int all(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      Function<List<String>, List<ActionAnswer>> action,
      IntConsumer progress) {
    return all(queue, state, group, action, () -> false, progress);
  }

  /**
   * Acts on all tasks that are in a state when it begins, in steps. What comes in meanwhile may be
   * met too; what cannot be acted on is passed over.
   *
   * @param stop asked after each step
   */
  private int all(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      Function<List<String>, List<ActionAnswer>> action,
      BooleanSupplier stop,
      IntConsumer progress) {
    inspection.requireQueue(queue);
    int done = 0;
    int passedOver = 0;
    long budget = -1;
    while (true) {
      RedisInspection.Slice slice =
          inspection.slice(
              queue, new Listing(state, group, false, passedOver, BatchSplitter.MAX, null));
      budget = budget < 0 ? slice.total() : budget;
      List<String> ids = slice.rows().stream().map(TaskRow::id).toList();
      if (ids.isEmpty() || done + passedOver >= budget) {
        return done;
      }
      for (ActionAnswer answer : action.apply(ids)) {
        if (answer.verdict() == Status.DONE) {
          done++;
        } else {
          passedOver++;
        }
      }
      progress.accept(done);
      if (stop.getAsBoolean()) {
        return done;
      }
    }
  }

  void removeQueue(QueueName queue, boolean force) {
    inspection.requireQueue(queue);
    // So that what stands for nothing active does not keep the queue, and a lost lease does.
    upkeep.repair(queue);
    if (force) {
      refuseWhileActive(queue);
      empty(queue);
    }
    Object left = scripts.run(Script.REMOVE_QUEUE, queue, new CommandArgs());
    if (!(left instanceof Long)) {
      throw new QueueNotEmptyException(queue, ReplyParser.text(left));
    }
    registry.remove(queue);
  }

  private void refuseWhileActive(QueueName queue) {
    String key = RedisKeys.of(queue, "lease");
    if (ReplyParser.number(
            link.call(key, ResendPolicy.SAFE, Command.ZCARD, new CommandArgs().add(key)))
        > 0) {
      throw new QueueNotEmptyException(queue, TaskState.ACTIVE.word());
    }
  }

  private void empty(QueueName queue) {
    for (TaskState state : TaskState.values()) {
      if (state != TaskState.ACTIVE && state != TaskState.AGGREGATING) {
        deleteAll(queue, state, null, progress -> {});
      }
    }
    aggregation.reclaimAll(queue);
    upkeep.relistGroups(queue);
    for (String group : aggregation.groups(queue)) {
      deleteAll(queue, TaskState.AGGREGATING, group, progress -> {});
    }
    int swept;
    do {
      swept = aggregation.sweep(queue, BatchSplitter.MAX);
    } while (swept > 0);
    // What the original has left behind: records in no container, and locks of tasks that are gone.
    upkeep.walk(queue, "t:", ids -> delete(queue, ids));
    upkeep.walk(queue, "unique:", locks -> locks.forEach(lock -> dropAbandoned(queue, lock)));
  }

  private void dropAbandoned(QueueName queue, String lock) {
    String key = RedisKeys.of(queue, "unique:" + lock);
    Object holder = link.call(key, ResendPolicy.SAFE, Command.GET, new CommandArgs().add(key));
    String task = RedisKeys.task(queue, ReplyParser.text(holder));
    if (ReplyParser.number(
            link.call(task, ResendPolicy.SAFE, Command.EXISTS, new CommandArgs().add(task)))
        == 0) {
      link.call(key, ResendPolicy.SAFE, Command.DEL, new CommandArgs().add(key));
    }
  }

  int deleteAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return all(queue, state, group, ids -> deleteFrom(queue, state, group, ids), progress);
  }
}
