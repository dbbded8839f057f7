package io.asynq4j.internal.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.inspect.OperatorActions.Archived;
import io.asynq4j.internal.broker.inspect.OperatorActions.ArchivedAll;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.time.TimeMath;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Operator actions on the tasks of one queue, with their error messages. Thread-safe. */
public record TaskOperations(
    Broker broker, QueueName queue, ArchiveRules archiveRules, WhenFull whenFull) {

  public TaskMover mover() {
    return new TaskMover(broker, queue);
  }

  // ---- one task

  public void cancel(String id, AfterCancel after) {
    require(TaskAction.CANCEL, queue, id, broker.tasks().task(queue, id).state());
    // For workers with leases, which no message reaches.
    broker.actions().markCancelled(queue, id, after);
    if (after != AfterCancel.RETRY) {
      broker.cancellations().publish(new ControlMessage.Cancel(queue, id, after));
    }
    // By its ID alone, which Go servers understand too.
    broker.cancellations().publish(id);
  }

  // ---- many tasks, by ID

  public BulkAction runAction() {
    return answered(
        TaskAction.RUN, /* oncePerTask= */ false, ids -> broker.actions().run(queue, ids));
  }

  public BulkAction archiveAction() {
    return new BulkAction(
        /* takesOut= */ true,
        /* oncePerTask= */ false,
        ids -> {
          Archived archived = archive(ids);
          return new BulkAction.Result(
              problems(TaskAction.ARCHIVE, archived.answers()),
              archived.dropped(),
              archived.isFull() ? archiveFull() : null);
        });
  }

  public BulkAction deleteAction() {
    return answered(
        TaskAction.DELETE, /* oncePerTask= */ false, ids -> broker.actions().delete(queue, ids));
  }

  /**
   * Returns an action that delays tasks until an instant.
   *
   * @param staysInState whether the tasks are in a state that rescheduling does not change
   */
  public BulkAction rescheduleAction(Instant at, boolean staysInState) {
    TimeMath.require(at, "the time of a task");
    return answered(
        TaskAction.RESCHEDULE, staysInState, ids -> broker.actions().reschedule(queue, ids, at));
  }

  public BulkAction cancelAction(AfterCancel after) {
    return each(/* takesOut= */ false, id -> cancel(id, after));
  }

  public BulkAction moveAction(QueueName to) {
    return each(/* takesOut= */ true, id -> mover().move(id, to));
  }

  private static BulkAction answered(
      TaskAction action, boolean oncePerTask, Function<List<String>, List<ActionAnswer>> call) {
    return new BulkAction(
        /* takesOut= */ !oncePerTask,
        oncePerTask,
        ids -> new BulkAction.Result(problems(action, call.apply(ids)), 0, null));
  }

  private static BulkAction each(boolean takesOut, Consumer<String> operation) {
    return new BulkAction(
        takesOut,
        /* oncePerTask= */ false,
        ids ->
            new BulkAction.Result(
                ids.stream().map(id -> problem(operation, id)).toList(), 0, null));
  }

  private static @Nullable String problem(Consumer<String> operation, String id) {
    try {
      operation.accept(id);
      return null;
    } catch (TaskNotFoundException | TaskStateException e) {
      return e.getMessage();
    }
  }

  // ---- all tasks of a state

  public long archiveAll(TaskState state, LongConsumer progress) {
    TaskAction.ARCHIVE.require(state);
    long tasks = broker.queues().snapshot(queue).size(state);
    long room = archiveRoom();
    if (whenFull != WhenFull.DROP_OLDEST && tasks > room) {
      throw new IllegalStateException(
          "%,d %s tasks of queue \"%s\" do not fit into its archive, which has room for %,d: delete or run archived tasks, or allow the oldest to be deleted"
              .formatted(tasks, state.word(), queue, room));
    }
    BulkReport report = archiveEach(state, progress);
    if (report.problem() != null) {
      throw new IllegalStateException(
          "%s; %,d were archived".formatted(report.problem(), report.done()));
    }
    return report.done();
  }

  public BulkReport archiveEach(TaskState state, LongConsumer progress) {
    TaskAction.ARCHIVE.require(state);
    ArchivedAll archived =
        broker.actions().archiveAll(queue, state, null, archiveRules, whenFull, progress);
    return BulkReport.builder()
        .looked(archived.done())
        .matched(archived.done())
        .done(archived.done())
        .problem(archived.full() ? archiveFull() : null)
        .dropped(archived.dropped())
        .build();
  }

  // ---- the archive

  public TaskOperations droppingOldest() {
    return new TaskOperations(broker, queue, archiveRules, WhenFull.DROP_OLDEST);
  }

  public Archived archive(List<String> ids) {
    return broker.actions().archive(queue, ids, archiveRules, whenFull);
  }

  /** Returns how many more tasks fit into the archive. */
  public long archiveRoom() {
    long archived = broker.queues().snapshot(queue).size(TaskState.ARCHIVED);
    return Math.max(0, archiveRules.maxSize() - archived);
  }

  private String archiveFull() {
    return "the archive of queue \"%s\" is full (%,d tasks): delete or run archived tasks, or allow the oldest to be deleted"
        .formatted(queue, archiveRules.maxSize());
  }

  // ---- refusals

  /** Returns for each task why an action was not applied; null if it was. */
  private static List<@Nullable String> problems(TaskAction action, List<ActionAnswer> answers) {
    return answers.stream().map(answer -> problem(action, answer)).toList();
  }

  private static @Nullable String problem(TaskAction action, ActionAnswer answer) {
    return switch (answer.status()) {
      case DONE -> null;
      case NOT_FOUND -> "does not exist";
      case NO_MESSAGE -> "has no message, so it can only be deleted";
      case ARCHIVE_FULL ->
          "cannot be archived: the archive of its queue is full; delete or run archived tasks, or"
              + " allow the oldest to be deleted";
      case WRONG_STATE -> action.refusal(Objects.requireNonNull(answer.state()));
    };
  }

  /** Throws unless the only answer is that the action was applied. */
  public void requireDone(String id, TaskAction action, List<ActionAnswer> answers) {
    ActionAnswer answer = answers.get(0);
    if (answer.status() == Status.NOT_FOUND) {
      throw new TaskNotFoundException(queue, id);
    }
    String problem = problem(action, answer);
    if (problem != null) {
      throw new TaskStateException(queue, id, problem);
    }
  }

  /** Throws unless the state of a task allows an action. */
  static void require(TaskAction action, QueueName queue, String id, TaskState state) {
    if (!action.isAllowedIn(state)) {
      throw new TaskStateException(queue, id, action.refusal(state));
    }
  }
}
