package io.asynq4j.internal.inspect;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
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
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Actions of the inspector and its selections on tasks, with their error messages. */
public final class TaskOperations {

  private final Broker broker;
  private final ArchiveRules archiveRules;
  private final WhenFull whenFull;
  private final TaskMover transfers;

  public TaskOperations(Broker broker, ArchiveRules archiveRules, WhenFull whenFull) {
    this.broker = broker;
    this.archiveRules = archiveRules;
    this.whenFull = whenFull;
    this.transfers = new TaskMover(broker);
  }

  public Inspection inspection() {
    return broker.inspection();
  }

  public Clock clock() {
    return broker.clock();
  }

  public TaskOperations droppingOldest() {
    return new TaskOperations(broker, archiveRules, WhenFull.DROP_OLDEST);
  }

  public boolean dropsOldest() {
    return whenFull == WhenFull.DROP_OLDEST;
  }

  public Archived archive(QueueName queue, List<String> ids) {
    return inspection().archive(queue, ids, archiveRules, whenFull);
  }

  public ArchivedAll archiveAll(
      QueueName queue, TaskState state, @Nullable String group, IntConsumer progress) {
    return inspection().archiveAll(queue, state, group, archiveRules, whenFull, progress);
  }

  /** Returns how many more tasks fit into the archive of a queue. */
  public long archiveRoom(QueueName queue) {
    long archived = inspection().stats(queue).sizes().getOrDefault(TaskState.ARCHIVED, 0L);
    return Math.max(0, archiveRules.maxSize() - archived);
  }

  public String archiveFull(QueueName queue) {
    return "the archive of queue \"%s\" is full (%,d tasks): delete or run archived tasks, or allow the oldest to be deleted"
        .formatted(queue, archiveRules.maxSize());
  }

  public TaskMover transfers() {
    return transfers;
  }

  public void cancel(QueueName queue, String id, AfterCancel after) {
    TaskInfo task = inspection().task(queue, id);
    require(TaskAction.CANCEL, queue, id, task.state());
    // For workers with leases, which no message reaches.
    inspection().markCancelled(queue, id, after);
    if (after != AfterCancel.RETRY) {
      broker.cancellations().publish(new ControlMessage.Cancel(queue, id, after));
    }
    // By its ID alone, which Go servers understand too.
    broker.cancellations().publish(id);
  }

  /** Returns why an action on a task was not applied; null if it was. */
  public static @Nullable String problem(TaskAction action, ActionAnswer answer) {
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

  /** Throws unless an action on a task was applied. */
  public static void requireDone(
      QueueName queue, String id, TaskAction action, ActionAnswer answer) {
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
