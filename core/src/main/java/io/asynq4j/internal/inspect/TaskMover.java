package io.asynq4j.internal.inspect;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.Task;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.TaskStateException;
import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.client.TaskIdConflictException;
import io.asynq4j.inspect.TaskAction;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.EnqueueReply.Status;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.inspect.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.inspect.TaskInspection.Stored;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Moves and copies tasks of one queue. Thread-safe.
 *
 * <p>Two queues may be on two nodes, so a move has two steps: the task is inserted into the target,
 * then deleted from the source. If a step fails, the task is in one of the queues or in both, never
 * in none, and a repeated move completes the first. If a worker or an aggregation takes the task
 * meanwhile, it keeps the task, and the copy is deleted. If the copy is taken too, the task runs
 * twice, which at-least-once delivery allows.
 */
public record TaskMover(Broker broker, QueueName from) {

  public void requireOther(QueueName to) {
    require(
        !from.equals(to),
        "a task can only be moved to another queue, and it is already in queue \"" + to + "\"");
  }

  public void move(String id, QueueName to) {
    requireOther(to);
    Stored stored = broker.tasks().stored(from, id);
    TaskOperations.require(TaskAction.MOVE, from, id, stored.state());
    NewTask there = new NewTask(stored.message().movedTo(to), placement(stored), stored.lockLeft());
    insert(there);
    ActionAnswer deleted = broker.actions().delete(from, List.of(id)).get(0);
    if (deleted.status() == ActionAnswer.Status.WRONG_STATE) {
      takeBack(id, to);
    }
    // A missing task was deleted by another move, or has just ended: in both cases the inserted one
    // stays, since it may be the only one.
  }

  private static Placement placement(Stored stored) {
    Instant due = stored.due();
    if (due != null) {
      return new Placement.At(due, !due.equals(due.truncatedTo(ChronoUnit.SECONDS)));
    }
    return stored.state() == TaskState.AGGREGATING
        ? new Placement.Grouped()
        : new Placement.Pending();
  }

  private void insert(NewTask there) {
    String id = there.message().id();
    QueueName to = there.message().queue();
    EnqueueReply answer = broker.enqueueing().enqueue(List.of(there)).get(0);
    boolean taken =
        answer.status() == Status.ID_CONFLICT
            || (answer.status() == Status.DUPLICATE && answer.holder().equals(id));
    if (taken && !isEarlierCopy(there)) {
      throw new TaskStateException(
          from, id, "cannot be moved: queue \"" + to + "\" has another task with this ID");
    } else if (!taken && answer.status() == Status.DUPLICATE) {
      throw new TaskStateException(
          from,
          id,
          "cannot be moved: it would conflict with the unique task %s in queue \"%s\""
              .formatted(answer.holder(), to));
    }
  }

  /** Returns whether the existing task was inserted by an incomplete move. */
  private boolean isEarlierCopy(NewTask there) {
    TaskMessage message = there.message();
    try {
      Stored found = broker.tasks().stored(message.queue(), message.id());
      return found.message().withUniqueKey("").withGroup("").equals(message.withGroup(""));
    } catch (TaskNotFoundException e) {
      // It has just ended there.
      return true;
    }
  }

  private void takeBack(String id, QueueName to) {
    ActionAnswer back = broker.actions().delete(to, List.of(id)).get(0);
    throw new TaskStateException(
        from,
        id,
        back.status() == ActionAnswer.Status.DONE
            ? "was not moved: a worker or an aggregation has just taken it"
            : "was taken by a worker or an aggregation during the move, and so was its copy in queue \"%s\"; it may run twice"
                .formatted(to));
  }

  /**
   * Enqueues the same task again. Returns the new ID.
   *
   * @param payload payload of the copy; null for that of the original
   */
  public String copy(
      String id, @Nullable Payload payload, UnaryOperator<TaskOptions.Builder> changes) {
    Stored stored = broker.tasks().stored(from, id);
    Task original = stored.message().task();
    Task task = payload == null ? original : Task.of(original.type(), payload, original.headers());
    TaskOptions options = TaskOptions.of(builder -> changes.apply(like(stored, builder)));
    NewTask copy = NewTask.of(task, options, broker.clock().instant());
    EnqueueReply answer = broker.enqueueing().enqueue(List.of(copy)).get(0);
    if (answer.status() == Status.ID_CONFLICT) {
      throw new TaskIdConflictException(copy.message().queue(), copy.message().id());
    } else if (answer.status() == Status.DUPLICATE) {
      throw new DuplicateTaskException(copy.message().queue(), task.type(), answer.holder());
    }
    return copy.message().id();
  }

  private static TaskOptions.Builder like(Stored stored, TaskOptions.Builder options) {
    TaskMessage message = stored.message();
    options.queue(message.queue()).maxRetry(message.maxRetry()).retention(message.retention());
    if (!message.timeout().isZero()) {
      options.timeout(message.timeout());
    }
    if (message.deadline() != null) {
      options.deadline(message.deadline());
    }
    if (stored.state() == TaskState.AGGREGATING) {
      options.group(message.group());
    }
    return options;
  }
}
