package io.asynq4j.internal.server.claim;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.rules.QueueRules;
import io.asynq4j.internal.server.shard.ContentionBackoff;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A queue as the processor sees it. Only the processor's thread uses what changes. */
final class QueueClaimState {

  /** Whether it is worth asking. */
  enum Status {
    READY,
    /** It had nothing, and nobody watches yet. */
    EMPTY,
    /** It was paused, and nobody watches yet. */
    PAUSED,
    /** As many run as may, and nobody watches yet. */
    FULL,
    /** Its places are watched, so it is asked once more. */
    FULL_WATCHED,
    /** Its server does not answer; when it does, the queue is asked. */
    STALLED,
    /** Its head must wait for a time. */
    HELD,
    /** Somebody tells when there may be something. */
    WATCHED
  }

  private static final long STEP_NANOS = 200_000;

  private final QueueName name;
  private final int weight;
  private final QueueRules rules;
  private Status status = Status.EMPTY;
  private @Nullable Instant heldUntil;
  private final ContentionBackoff rivals = new ContentionBackoff();

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
   * Somebody has told that there is something, to all servers of the queue alike. How long to wait
   * before it is asked for: where they are many, the first is there after a few tenths of a
   * millisecond.
   */
  long reported() {
    rivals.called();
    return rivals.pauseNanos(STEP_NANOS);
  }

  void gotSomething() {
    rivals.won();
  }
}
