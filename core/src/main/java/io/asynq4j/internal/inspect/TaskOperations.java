package io.asynq4j.internal.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Inspection;
import io.asynq4j.internal.broker.Inspection.ActionAnswer;
import io.asynq4j.internal.broker.Inspection.ActionAnswer.Status;
import io.asynq4j.internal.broker.Inspection.Archived;
import io.asynq4j.internal.broker.Inspection.ArchivedAll;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.inspect.BulkOperation.BulkAction;
import io.asynq4j.internal.time.TimeMath;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Operator actions on the tasks of one queue, with their error messages. Thread-safe. */
public final class TaskOperations {

  private final Broker broker;
  private final QueueName queue;
  private final ArchiveRules archiveRules;
  private final WhenFull whenFull;

  public TaskOperations(
      Broker broker, QueueName queue, ArchiveRules archiveRules, WhenFull whenFull) {
    this.broker = broker;
    this.queue = queue;
    this.archiveRules = archiveRules;
    this.whenFull = whenFull;
  }

  public QueueName queue() {
    return queue;
  }

  public Inspection inspection() {
    return broker.inspection();
  }

  public Clock clock() {
    return broker.clock();
  }

  public TaskMover mover() {
    return new TaskMover(broker, queue);
  }

  // ---- one task

  public void run(String id) {
    requireDone(id, TaskAction.RUN, inspection().run(queue, List.of(id)));
  }

  public void archive(String id) {
    requireDone(id, TaskAction.ARCHIVE, archive(List.of(id)).answers());
  }

  public void delete(String id) {
    requireDone(id, TaskAction.DELETE, inspection().delete(queue, List.of(id)));
  }

  public void reschedule(String id, Instant at) {
    TimeMath.require(at, "the time of a task");
    requireDone(id, TaskAction.RESCHEDULE, inspection().reschedule(queue, List.of(id), at));
  }

  public void cancel(String id, AfterCancel after) {
    require(TaskAction.CANCEL, queue, id, inspection().task(queue, id).state());
    // For workers with leases, which no message reaches.
    inspection().markCancelled(queue, id, after);
    if (after != AfterCancel.RETRY) {
      broker.cancellations().publish(new ControlMessage.Cancel(queue, id, after));
    }
    // By its ID alone, which Go servers understand too.
    broker.cancellations().publish(id);
  }

  // ---- many tasks

  public BulkAction runAction() {
    return answered(TaskAction.RUN, ids -> inspection().run(queue, ids));
  }

  public BulkAction archiveAction() {
    return new ArchiveAction(this);
  }

  public BulkAction deleteAction() {
    return answered(TaskAction.DELETE, ids -> inspection().delete(queue, ids));
  }

  public BulkAction rescheduleAction(Instant at) {
    TimeMath.require(at, "the time of a task");
    return answered(TaskAction.RESCHEDULE, ids -> inspection().reschedule(queue, ids, at));
  }

  /** For tasks in a state that rescheduling does not change. */
  public BulkAction rescheduleInPlaceAction(Instant at) {
    return new RescheduleAction(rescheduleAction(at));
  }

  public BulkAction cancelAction(AfterCancel after) {
    return each(/* takesOut= */ false, id -> cancel(id, after));
  }

  public BulkAction moveAction(QueueName to) {
    return each(/* takesOut= */ true, id -> mover().move(id, to));
  }

  private static BulkAction answered(
      TaskAction action, Function<List<String>, List<ActionAnswer>> call) {
    return new FunctionAction(/* takesOut= */ true, ids -> problems(action, call.apply(ids)));
  }

  private static BulkAction each(boolean takesOut, Consumer<String> operation) {
    return new FunctionAction(
        takesOut,
        ids -> {
          List<@Nullable String> problems = new ArrayList<>(ids.size());
          ids.forEach(id -> problems.add(problem(operation, id)));
          return problems;
        });
  }

  private static @Nullable String problem(Consumer<String> operation, String id) {
    try {
      operation.accept(id);
      return null;
    } catch (TaskNotFoundException | TaskStateException e) {
      return e.getMessage();
    }
  }

  private record FunctionAction(
      boolean takesOut, Function<List<String>, List<@Nullable String>> function)
      implements BulkAction {
    @Override
    public List<@Nullable String> apply(List<String> ids) {
      return function.apply(ids);
    }
  }

  // ---- the archive

  public TaskOperations droppingOldest() {
    return new TaskOperations(broker, queue, archiveRules, WhenFull.DROP_OLDEST);
  }

  boolean dropsOldest() {
    return whenFull == WhenFull.DROP_OLDEST;
  }

  Archived archive(List<String> ids) {
    return inspection().archive(queue, ids, archiveRules, whenFull);
  }

  ArchivedAll archiveAll(TaskState state, @Nullable String group, IntConsumer progress) {
    return inspection().archiveAll(queue, state, group, archiveRules, whenFull, progress);
  }

  /** Returns how many more tasks fit into the archive. */
  public long archiveRoom() {
    return Math.max(0, archiveRules.maxSize() - inspection().stats(queue).size(TaskState.ARCHIVED));
  }

  String archiveFull() {
    return "the archive of queue \"%s\" is full (%,d tasks): delete or run archived tasks, or allow the oldest to be deleted"
        .formatted(queue, archiveRules.maxSize());
  }

  // ---- refusals

  /** Returns for each task why an action was not applied; null if it was. */
  static List<@Nullable String> problems(TaskAction action, List<ActionAnswer> answers) {
    List<@Nullable String> problems = new ArrayList<>(answers.size());
    answers.forEach(answer -> problems.add(problem(action, answer)));
    return problems;
  }

  private static @Nullable String problem(TaskAction action, ActionAnswer answer) {
    return switch (answer.verdict()) {
      case DONE -> null;
      case NOT_FOUND -> "does not exist";
      case NO_MESSAGE -> "has no message, so it can only be deleted";
      case ARCHIVE_FULL ->
          "cannot be archived: the archive of its queue is full; delete or run archived tasks, or"
              + " allow the oldest to be deleted";
      case WRONG_STATE -> action.refusal(Objects.requireNonNull(answer.state()));
    };
  }

  private void requireDone(String id, TaskAction action, List<ActionAnswer> answers) {
    ActionAnswer answer = answers.get(0);
    if (answer.verdict() == Status.NOT_FOUND) {
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
