package io.asynq4j.client;

import io.asynq4j.Durability;
import io.asynq4j.Task;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.codec.PayloadCodec;
import io.asynq4j.codec.PayloadException;
import io.asynq4j.internal.broker.EnqueueOperations;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.NewTask.Placement;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.time.TimeMath;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Maps requests to tasks of the broker, and replies of the broker to results. Thread-safe. */
record EnqueueMapper(EnqueueOperations sink, Clock clock, PayloadCodec codec, int maxPayload) {

  NewTask prepare(EnqueueRequest request) {
    Objects.requireNonNull(request, "the request to enqueue is null");
    Task task = request.task(codec);
    TaskOptions options = request.options();
    int size = task.payload().size();
    if (size > maxPayload) {
      throw new PayloadException(
          ("the payload of task type \"%s\" has %d bytes, more than the maximum of %d; store large"
                  + " data elsewhere and send a reference to it, or raise maxPayload of the client")
              .formatted(task.type(), size, maxPayload),
          null);
    }
    return NewTask.of(task, options, clock.instant());
  }

  /** Returns the result, or throws the error of a failed one. */
  EnqueueResult result(NewTask task, EnqueueReply answer, Durability durability) {
    EnqueueResult result = resultOfMany(task, answer, durability);
    if (result instanceof EnqueueResult.Failed failed) {
      throw failed.error();
    }
    return result;
  }

  EnqueueResult resultOfMany(NewTask task, EnqueueReply answer, Durability durability) {
    TaskMessage message = task.message();
    return switch (answer.status()) {
      case ENQUEUED -> new EnqueueResult.Enqueued(info(task));
      case DUPLICATE ->
          new EnqueueResult.Duplicate(message.queue(), message.type(), answer.holder());
      case ID_CONFLICT -> new EnqueueResult.IdConflict(message.queue(), message.id());
      case UNCONFIRMED ->
          new EnqueueResult.Failed(
              new UnconfirmedTaskException(info(task), durability, failure(answer)));
      case FAILED -> new EnqueueResult.Failed(failure(answer));
    };
  }

  private static RuntimeException failure(EnqueueReply answer) {
    return Objects.requireNonNull(answer.failure(), "a failed reply has a reason");
  }

  private TaskInfo info(NewTask task) {
    return task.message()
        .info()
        .state(state(task.placement()))
        .nextProcessAt(due(task.placement()))
        .uniqueKey(sink.lock(task))
        .build();
  }

  private static TaskState state(Placement placement) {
    if (placement instanceof Placement.Pending) {
      return TaskState.PENDING;
    }
    return placement instanceof Placement.Grouped ? TaskState.AGGREGATING : TaskState.SCHEDULED;
  }

  /** Returns the time as it is stored: in whole seconds, rounded up, unless it is precise. */
  private @Nullable Instant due(Placement placement) {
    if (placement instanceof Placement.At at) {
      return stored(at.when(), at.precise());
    }
    if (placement instanceof Placement.After after) {
      return stored(TimeMath.plus(clock.instant(), after.delay()), after.precise());
    }
    return placement instanceof Placement.Grouped ? null : clock.instant();
  }

  private static Instant stored(Instant due, boolean precise) {
    if (precise) {
      return Instant.ofEpochMilli(due.toEpochMilli());
    }
    return Instant.ofEpochSecond(due.getEpochSecond() + (due.getNano() == 0 ? 0 : 1));
  }
}
