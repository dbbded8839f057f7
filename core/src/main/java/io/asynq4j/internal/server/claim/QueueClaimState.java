package io.asynq4j.internal.server.claim;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.server.shard.ContentionBackoff;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue in the claim loop. Mutable fields are used by the thread of the claim loop
 * only.
 */
final class QueueClaimState {

  /** Whether a claim is worthwhile. */
  enum Status {
    READY,
    /** It had no tasks and is not watched yet. */
    EMPTY,
    /** It was paused and is not watched yet. */
    PAUSED,
    /** Its limit of active tasks is reached and it is not watched yet. */
    FULL,
    /** Its limit is watched, so one more claim is sent. */
    FULL_WATCHED,
    /** Its server does not respond; a claim is sent when it does. */
    STALLED,
    /** Its head must wait until a time. */
    HELD,
    /** A notification arrives when there may be tasks. */
    WATCHED
  }

  private static final long STEP_NANOS = 200_000;

  private final QueueName name;
  private final int weight;
  private final QueueRules rules;
  private Status status = Status.EMPTY;
  private @Nullable Instant heldUntil;
  private final ContentionBackoff rivals = new ContentionBackoff();

  /**
   * The position among the ready queues. Set by {@link StrideScheduler}, only while the queue is
   * not ready.
   */
  double pass;

  /** Differs between all ready queues. */
  long entry;

  QueueClaimState(QueueName name, int weight, QueueRules rules) {
    this.name = name;
    this.weight = weight;
    this.rules = rules;
  }

  QueueName name() {
    return name;
  }

  int weight() {
    return weight;
  }

  QueueRules rules() {
    return rules;
  }

  Status status() {
    return status;
  }

  void become(Status status) {
    this.status = status;
    this.heldUntil = null;
  }

  void holdUntil(@Nullable Instant time) {
    this.status = Status.HELD;
    this.heldUntil = time;
  }

  @Nullable Instant heldUntil() {
    return heldUntil;
  }

  /**
   * Records a notification, which all servers of the queue receive. Returns the delay before the
   * claim: with many servers, the first one claims after a few tenths of a millisecond.
   */
  long reported() {
    rivals.called();
    return rivals.pauseNanos(STEP_NANOS);
  }

  void gotSomething() {
    rivals.won();
  }
}
