package io.asynq4j.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Lanes for calls that must not be done twice. A lane has one call under way at a time and numbers
 * its calls; Redis keeps the last number and answer of each lane for a while, so that a call can be
 * sent again when its answer was lost. Thread-safe.
 */
final class Lanes {

  /** How long Redis remembers; nothing is sent again later than this. */
  static final Duration KEEP = Duration.ofMinutes(2);

  private final ConcurrentLinkedDeque<Lane> idle = new ConcurrentLinkedDeque<>();
  private final Set<String> unanswered = ConcurrentHashMap.newKeySet();

  /** A lane that nobody else uses until it is given back. */
  Lane take() {
    Lane lane = idle.pollFirst();
    return lane != null
        ? lane
        : new Lane(Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36));
  }

  /**
   * The last call of a lane was given up without an answer. The lane is not used again: the next
   * call would make Redis forget the answer, which somebody may still ask for.
   */
  void abandon(String laneId) {
    unanswered.add(laneId);
  }

  void giveBack(Lane lane) {
    if (!unanswered.remove(lane.id())) {
      idle.addFirst(lane);
    }
  }

  static final class Lane {
    private final String id;
    private long number;

    private Lane(String id) {
      this.id = id;
    }

    String id() {
      return id;
    }

    long next() {
      return ++number;
    }
  }
}
