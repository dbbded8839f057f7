package io.asynq4j.broker;

/**
 * What became of a new task.
 *
 * @param holder the task that holds the lock, when this one is a duplicate; else empty
 */
public record EnqueueAnswer(Verdict verdict, String holder) {

  public enum Verdict {
    ENQUEUED,
    /** A task with this id exists in the queue, in whatever state. */
    ID_CONFLICT,
    /** An equal task holds the lock. */
    DUPLICATE
  }

  public static final EnqueueAnswer ENQUEUED = new EnqueueAnswer(Verdict.ENQUEUED, "");
  public static final EnqueueAnswer ID_CONFLICT = new EnqueueAnswer(Verdict.ID_CONFLICT, "");

  public static EnqueueAnswer duplicateOf(String holder) {
    return new EnqueueAnswer(Verdict.DUPLICATE, holder);
  }
}
