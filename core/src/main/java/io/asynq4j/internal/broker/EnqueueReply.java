package io.asynq4j.internal.broker;

import org.jspecify.annotations.Nullable;

/**
 * What became of a new task.
 *
 * @param holder the task that holds the lock, when this one is a duplicate; else empty
 * @param failure why it is not enqueued, or not confirmed; null when it is, or when it must not be
 */
public record EnqueueReply(Status verdict, String holder, @Nullable RuntimeException failure) {

  public enum Status {
    ENQUEUED,
    /** A task with this id exists in the queue, in whatever state. */
    ID_CONFLICT,
    /** An equal task holds the lock. */
    DUPLICATE,
    /** It is enqueued, but not known to be as durable as was asked for. */
    UNCONFIRMED,
    /** The call failed; the failure tells whether it may have been enqueued nevertheless. */
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
