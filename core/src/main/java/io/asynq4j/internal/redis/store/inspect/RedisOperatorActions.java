package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.inspect.OperatorActions;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.redis.codec.TaskRow;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.RedisKeys;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.redis.store.task.ArchiveTrimmer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Redis implementation of operator actions. */
public record RedisOperatorActions(ScriptRunner scripts, QueueReader queues, TaskReader tasks)
    implements OperatorActions {

  @Override
  public List<ActionAnswer> run(QueueName queue, List<String> ids) {
    return act(Script.RUN, queue, new CommandArgs(), ids);
  }

  @Override
  public Archived archive(
      QueueName queue, List<String> ids, ArchiveRules rules, WhenFull whenFull) {
    queues.requireQueue(queue);
    CommandArgs limits =
        ArchiveTrimmer.addLimits(new CommandArgs(), rules).add(whenFull == WhenFull.DROP_OLDEST);
    List<ActionAnswer> answers = new ArrayList<>(ids.size());
    long dropped = 0;
    for (List<String> batch : BatchSplitter.of(ids)) {
      List<@Nullable Object> rest = act(Script.ARCHIVE_WAITING, queue, limits, batch, answers);
      int tooOld = ReplyParser.integer(rest.get(0));
      int trimmed = ReplyParser.integer(rest.get(1));
      int gone = trimmed + ArchiveTrimmer.trimOn(scripts, queue, batch.size(), trimmed, rules);
      dropped += Math.max(0, gone - tooOld);
    }
    return new Archived(answers, dropped);
  }

  @Override
  public List<ActionAnswer> delete(QueueName queue, List<String> ids) {
    return act(Script.DELETE, queue, new CommandArgs().addEmpty().addEmpty(), ids);
  }

  @Override
  public List<ActionAnswer> reschedule(QueueName queue, List<String> ids, Instant due) {
    CommandArgs head = new CommandArgs().add(due.toEpochMilli());
    return act(Script.RESCHEDULE_WAITING, queue, head, ids);
  }

  @Override
  public void markCancelled(QueueName queue, String id, AfterCancel after) {
    CommandArgs args = new CommandArgs(2).add(id).add(after.name().toLowerCase(Locale.ROOT));
    scripts.run(Script.CANCEL, queue, args);
  }

  private List<ActionAnswer> act(
      Script script, QueueName queue, CommandArgs head, List<String> ids) {
    queues.requireQueue(queue);
    List<ActionAnswer> answers = new ArrayList<>(ids.size());
    for (List<String> batch : BatchSplitter.of(ids)) {
      act(script, queue, head, batch, answers);
    }
    return answers;
  }

  /** Adds one answer per ID. Returns what the script returns in addition. */
  private List<@Nullable Object> act(
      Script script,
      QueueName queue,
      CommandArgs head,
      List<String> batch,
      List<ActionAnswer> answers) {
    CommandArgs args = new CommandArgs(head.size() + batch.size());
    head.values().forEach(args::add);
    batch.forEach(args::add);
    List<@Nullable Object> replies = scripts.runList(script, queue, args);
    replies.subList(0, batch.size()).forEach(reply -> answers.add(answer(reply)));
    return replies.subList(batch.size(), replies.size());
  }

  private static ActionAnswer answer(@Nullable Object reply) {
    if (reply instanceof Long code) {
      return new ActionAnswer(status(code), null);
    }
    return new ActionAnswer(Status.WRONG_STATE, TaskState.ofWord(ReplyParser.text(reply)));
  }

  private static Status status(long code) {
    return switch ((int) code) {
      case 1 -> Status.DONE;
      case 0 -> Status.NOT_FOUND;
      case -2 -> Status.ARCHIVE_FULL;
      default -> Status.NO_MESSAGE;
    };
  }

  @Override
  public long runAll(
      QueueName queue, TaskState state, @Nullable String group, LongConsumer progress) {
    return all(queue, state, group, (each, ids) -> new Archived(run(queue, ids), 0), progress)
        .done();
  }

  @Override
  public ArchivedAll archiveAll(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      ArchiveRules rules,
      WhenFull whenFull,
      LongConsumer progress) {
    return all(queue, state, group, (each, ids) -> archive(queue, ids, rules, whenFull), progress);
  }

  /** Also removes IDs without a task from the container in which they were found. */
  @Override
  public long deleteAll(
      QueueName queue, TaskState state, @Nullable String group, LongConsumer progress) {
    Action delete =
        (each, ids) -> {
          String container =
              each == null ? RedisKeys.of(queue, state.word()) : RedisKeys.group(queue, each);
          CommandArgs head = new CommandArgs().add(container).addEmpty();
          return new Archived(act(Script.DELETE, queue, head, ids), 0);
        };
    return all(queue, state, group, delete, progress).done();
  }

  /** An action on some tasks of a container. Only archiving drops tasks from the archive. */
  private interface Action {
    Archived apply(@Nullable String group, List<String> ids);
  }

  /**
   * Acts on all tasks that are in a state at the start, in steps. Tasks that arrive meanwhile may
   * be included; tasks that do not allow the action are skipped. Stops when the archive is full.
   */
  private ArchivedAll all(
      QueueName queue,
      TaskState state,
      @Nullable String group,
      Action action,
      LongConsumer progress) {
    queues.requireQueue(queue);
    long done = 0;
    long dropped = 0;
    for (String container : containers(queue, state, group)) {
      long doneBefore = done;
      int skipped = 0;
      long budget = Long.MAX_VALUE;
      while (done - doneBefore + skipped < budget) {
        Listing rest = new Listing(state, container, false, skipped, BatchSplitter.MAX, null);
        TaskReader.Slice slice = tasks.slice(queue, rest);
        if (slice.rows().isEmpty()) {
          break;
        }
        budget = budget == Long.MAX_VALUE ? slice.total() : budget;
        List<String> ids = slice.rows().stream().map(TaskRow::id).toList();
        Archived result = action.apply(container, ids);
        dropped += result.dropped();
        for (ActionAnswer answer : result.answers()) {
          if (answer.status() == Status.DONE) {
            done++;
          } else {
            skipped++;
          }
        }
        progress.accept(done);
        if (result.isFull()) {
          return new ArchivedAll(done, dropped, /* full= */ true);
        }
      }
    }
    return new ArchivedAll(done, dropped, /* full= */ false);
  }

  /** Returns the groups whose tasks are meant; one null for a state with one container. */
  private List<@Nullable String> containers(
      QueueName queue, TaskState state, @Nullable String group) {
    if (state != TaskState.AGGREGATING || group != null) {
      return Collections.singletonList(group);
    }
    return queues.groupSizes(queue).entrySet().stream()
        .filter(each -> each.getValue() >= 0)
        .<@Nullable String>map(Map.Entry::getKey)
        .toList();
  }
}
