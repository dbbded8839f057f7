package io.asynq4j.broker;

import org.jspecify.annotations.Nullable;

/**
 * What became of a new task.
 *
 * @param holder the task that holds the lock, when this one is a duplicate; else empty
 * @param failure why it is not enqueued, or not confirmed; null when it is, or when it must not be
 */
public record EnqueueAnswer(Status verdict, String holder, @Nullable RuntimeException failure) {

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

  public static final EnqueueAnswer ENQUEUED = new EnqueueAnswer(Status.ENQUEUED, "", null);
  public static final EnqueueAnswer ID_CONFLICT = new EnqueueAnswer(Status.ID_CONFLICT, "", null);

  public static EnqueueAnswer duplicateOf(String holder) {
    return new EnqueueAnswer(Status.DUPLICATE, holder, null);
  }

  public static EnqueueAnswer unconfirmed(RuntimeException failure) {
    return new EnqueueAnswer(Status.UNCONFIRMED, "", failure);
  }

  public static EnqueueAnswer failed(RuntimeException failure) {
    return new EnqueueAnswer(Status.FAILED, "", failure);
  }
}
