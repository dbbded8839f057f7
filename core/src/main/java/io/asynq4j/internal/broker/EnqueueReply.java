package io.asynq4j.internal.broker;

import org.jspecify.annotations.Nullable;

/**
 * The result of enqueueing a task.
 *
 * @param holder the task that has the lock, if this one is a duplicate; otherwise empty
 * @param failure why it is not enqueued or not confirmed; null if it is, or if it was rejected by a
 *     rule
 */
public record EnqueueReply(Status status, String holder, @Nullable RuntimeException failure) {

  public enum Status {
    ENQUEUED,
    /** A task with this ID exists in the queue, in any state. */
    ID_CONFLICT,
    /** An equal task holds the lock. */
    DUPLICATE,
    /** It is enqueued, but the requested durability was not confirmed. */
    UNCONFIRMED,
    /** The call failed; the failure states whether the task may have been enqueued nevertheless. */
    FAILED
  }

  public static final EnqueueReply ENQUEUED = new EnqueueReply(Status.ENQUEUED, "", null);
  public static final EnqueueReply ID_CONFLICT = new EnqueueReply(Status.ID_CONFLICT, "", null);

  public static EnqueueReply duplicateOf(String holder) {
    return new EnqueueReply(Status.DUPLICATE, holder, null);
  }

  public static EnqueueReply unconfirmed(RuntimeException failure) {
    return new EnqueueReply(Status.UNCONFIRMED, "", failure);
  }

  public static EnqueueReply failed(RuntimeException failure) {
    return new EnqueueReply(Status.FAILED, "", failure);
  }
}
