package io.asynq4j.server;

import io.asynq4j.QueueName;
import io.asynq4j.broker.QueueRules;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
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

  private static final int FEW_RIVALS = 3;
  private static final int MOST_RIVALS = 100;
  private static final double STEP_NANOS = 200_000;
  private static final double LEARNING = 0.2;

  private final QueueName name;
  private final int weight;
  private final QueueRules rules;
  private Status status = Status.EMPTY;
  private @Nullable Instant heldUntil;
  private boolean limited;
  private int toldSinceGot;

  /** How many servers run for the same tasks, this one included, as far as it has turned out. */
  private double rivals = 1;

  ServedQueue(QueueName name, int weight, QueueRules rules) {
    this.name = name;
    this.weight = weight;
    this.rules = rules;
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

  /**
   * Somebody has told that there is something, to all servers of the queue alike. How long to wait
   * before it is asked for, since most of them would ask in vain: not at all where they are few. Of
   * many, each waits at random, so long that the first is there after a few tenths of a
   * millisecond.
   */
  long toldOfSomething() {
    toldSinceGot++;
    double others = Math.min(Math.max(rivals, toldSinceGot), MOST_RIVALS) - FEW_RIVALS;
    return others <= 0 ? 0 : (long) (ThreadLocalRandom.current().nextDouble(others) * STEP_NANOS);
  }

  void gotSomething() {
    if (toldSinceGot > 0) {
      rivals += (toldSinceGot - rivals) * LEARNING;
      toldSinceGot = 0;
    }
  }
}
