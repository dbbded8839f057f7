package io.asynq4j.internal.redis.command;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Lanes that make calls idempotent. A lane has one call in flight at a time and numbers its calls.
 * Redis keeps the last number and reply of each lane for {@link #KEEP}, so that a call can be sent
 * again when its reply was lost. Thread-safe.
 */
public final class IdempotencyLanes {

  /** How long Redis keeps the last reply; no call is sent again after this time. */
  public static final Duration KEEP = Duration.ofMinutes(2);

  private final ConcurrentLinkedDeque<Lane> idle = new ConcurrentLinkedDeque<>();

  /** Returns a lane for exclusive use until it is given back. */
  public Lane take() {
    Lane lane = idle.pollFirst();
    return lane != null
        ? lane
        : new Lane(Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36));
  }

  /**
   * Returns a lane to the pool. The next call on it makes Redis forget the last reply, so a lane
   * whose last call may have to be sent again is kept until then.
   */
  public void giveBack(Lane lane) {
    idle.addFirst(lane);
  }

  public static final class Lane {
    private final String id;
    private long number;

    private Lane(String id) {
      this.id = id;
    }

    public String id() {
      return id;
    }

    public long next() {
      return ++number;
    }
  }
}
