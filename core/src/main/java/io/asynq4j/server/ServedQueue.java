package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.broker.QueueRules;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A queue as the processor sees it. Only the processor's thread uses what changes. */
final class ServedQueue {

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
    /** Its head must wait for a time. */
    HELD,
    /** Somebody tells when there may be something. */
    WATCHED
  }

  private final QueueName name;
  private final int weight;
  private final QueueRules rules;
  private final Stride.Turn turn;
  private Status status = Status.EMPTY;
  private @Nullable Instant heldUntil;
  private boolean limited;

  ServedQueue(QueueName name, int weight, QueueRules rules) {
    this.name = name;
    this.weight = weight;
    this.rules = rules;
    this.turn = new Stride.Turn(weight);
    this.limited = !rules.equals(QueueRules.NONE);
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

  Stride.Turn turn() {
    return turn;
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

  /** Whether the running tasks of this queue are counted, as configured or as it has turned out. */
  boolean isLimited() {
    return limited;
  }

  void foundLimited() {
    limited = true;
  }

  @Nullable Instant heldUntil() {
    return heldUntil;
  }
}
