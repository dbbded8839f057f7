package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
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
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.task.ArchiveTrimmer;
import io.asynq4j.internal.redis.store.task.BatchSplitter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs, archives, deletes, reschedules and cancels tasks by ID, or all tasks in a state.
 * Thread-safe.
 */
final class OperatorActions {

  private final ScriptRunner scripts;
  private final QueueReader queues;
  private final TaskReader tasks;
  private final ArchiveTrimmer archives;

  OperatorActions(ScriptRunner scripts, QueueReader queues, TaskReader tasks) {
    this.scripts = scripts;
    this.queues = queues;
    this.tasks = tasks;
    this.archives = new ArchiveTrimmer(scripts);
  }

  List<ActionAnswer> run(QueueName queue, List<String> ids) {
    return act(Script.RUN, queue, new CommandArgs(), ids);
  }

  Archived archive(QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull) {
    CommandArgs limits =
        ArchiveTrimmer.addLimits(new CommandArgs(), rules).add(whenFull == WhenFull.DROP_OLDEST);
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

  List<ActionAnswer> delete(QueueName queue, List<String> ids) {
    return act(Script.DELETE, queue, new CommandArgs().addEmpty().addEmpty(), ids);
  }

  List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due) {
    CommandArgs head = new CommandArgs().add(due.toEpochMilli());
    return act(Script.RESCHEDULE_WAITING, queue, head, ids);
  }

  void markCancelled(QueueName queue, String id, AfterCancel after) {
    CommandArgs args = new CommandArgs(2).add(id).add(after.name().toLowerCase(Locale.ROOT));
    scripts.run(Script.CANCEL, queue, args);
  }

  private List<ActionAnswer> act(
      Script script, QueueName queue, CommandArgs head, List<String> ids) {
    return act(script, queue, head, ids, (tried, rest) -> {});
  }

  /** Handles what a script returns in addition to its answers per task. */
  private interface Rest {
    void of(int tried, List<@Nullable Object> rest);
  }

  private List<ActionAnswer> act(
      Script script, QueueName queue, CommandArgs head, List<String> ids, Rest rest) {
    queues.requireQueue(queue);
    List<ActionAnswer> answers = new ArrayList<>(ids.size());
    for (List<String> batch : BatchSplitter.of(ids)) {
      CommandArgs args = new CommandArgs(head.size() + batch.size());
      head.values().forEach(args::add);
      batch.forEach(args::add);
      List<@Nullable Object> replies = scripts.runList(script, queue, args);
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
    return switch ((int) code) {
      case 1 -> Status.DONE;
      case 0 -> Status.NOT_FOUND;
      case -2 -> Status.ARCHIVE_FULL;
      default -> Status.NO_MESSAGE;
    };
  }

  private static boolean isFull(ActionAnswer answer) {
    return answer.verdict() == Status.ARCHIVE_FULL;
  }

  int runAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return all(queue, state, group, ids -> run(queue, ids), progress);
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
              if (archived.answers().stream().anyMatch(OperatorActions::isFull)) {
                full.set(true);
              }
              return archived.answers();
            },
            progress);
    return new ArchivedAll(done, dropped.sum(), full.get());
  }

  int deleteAll(QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return all(queue, state, group, ids -> deleteFrom(queue, state, group, ids), progress);
  }

  /** Deletes tasks that were found in a container, and removes IDs without a task from it. */
  private List<ActionAnswer> deleteFrom(
      QueueName queue, TaskState state, @Nullable String group, List<String> ids) {
    String container =
        group == null ? RedisKeys.of(queue, state.word()) : RedisKeys.group(queue, group);
    return act(Script.DELETE, queue, new CommandArgs().add(container).addEmpty(), ids);
  }

  /**
   * Acts on all tasks that are in a state at the start, in steps. Tasks that arrive meanwhile may
   * be included; tasks that do not allow the action are skipped. Stops when the archive is full.
   */
  private int all(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      Function<List<String>, List<ActionAnswer>> action,
      IntConsumer progress) {
    queues.requireQueue(queue);
    int done = 0;
    int passedOver = 0;
    long budget = -1;
    while (true) {
      TaskReader.Slice slice =
          tasks.slice(queue, new Listing(state, group, false, passedOver, BatchSplitter.MAX, null));
      budget = budget < 0 ? slice.total() : budget;
      List<String> ids = slice.rows().stream().map(TaskRow::id).toList();
      if (ids.isEmpty() || done + passedOver >= budget) {
        return done;
      }
      boolean full = false;
      for (ActionAnswer answer : action.apply(ids)) {
        full |= isFull(answer);
        if (answer.verdict() == Status.DONE) {
          done++;
        } else {
          passedOver++;
        }
      }
      progress.accept(done);
      if (full) {
        return done;
      }
    }
  }
}
