package io.asynq4j.internal.redis.command;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Lanes for calls that must not be done twice. A lane has one call under way at a time and numbers
 * its calls; Redis keeps the last number and answer of each lane for a while, so that a call can be
 * sent again when its answer was lost. Thread-safe.
 */
public final class IdempotencyLanes {

  /** How long Redis remembers; nothing is sent again later than this. */
  public static final Duration KEEP = Duration.ofMinutes(2);

  private final ConcurrentLinkedDeque<Lane> idle = new ConcurrentLinkedDeque<>();

  /** A lane that nobody else uses until it is given back. */
  public Lane take() {
    Lane lane = idle.pollFirst();
    return lane != null
        ? lane
        : new Lane(Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36));
  }

  /**
   * Its next call makes Redis forget the answer to the last one, so a lane whose last call is to be
   * asked for again is kept until then.
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
