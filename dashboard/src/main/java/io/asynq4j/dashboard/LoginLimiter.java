package io.asynq4j.dashboard;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes guessing passwords slow: after some failures in a row, a name and at last an address must
 * wait, twice as long after each further one. Thread-safe; remembers a bounded number of both.
 */
final class LoginLimiter {

  /** How many failures are free for one name from one address. */
  static final int PER_NAME = 5;

  /** And for an address, behind which there may be a whole company. */
  static final int PER_ADDRESS = 50;

  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration FORGET = Duration.ofMinutes(15);
  private static final int MOST = 10_000;

  private final Map<Key, Failures> byKey = new LinkedHashMap<>();

  /**
   * @param free how many failures cost nothing
   */
  record Key(String text, int free) {}

  private record Failures(int count, long lastNanos) {

    long secondsLeft(int free, long now) {
      if (count < free) {
        return 0;
      }
      long wait = Math.min(LONGEST.toSeconds(), 1L << Math.min(20, count - free + 1));
      long left = wait - Duration.ofNanos(now - lastNanos).toSeconds();
      return Math.max(0, left);
    }

    boolean isOld(long now) {
      return now - lastNanos > FORGET.toNanos();
    }
  }

  /** Fails when one of the keys must wait. */
  synchronized void check(Key... keys) {
    long now = System.nanoTime();
    for (Key key : keys) {
      Failures failures = byKey.get(key);
      long left = failures == null ? 0 : failures.secondsLeft(key.free(), now);
      if (left > 0) {
        throw Problem.tooMany(
            "Too many logins have failed. Try again in " + left + " seconds.", left);
      }
    }
  }

  synchronized void failed(Key... keys) {
    long now = System.nanoTime();
    for (Key key : keys) {
      Failures earlier = byKey.remove(key);
      int count = earlier == null || earlier.isOld(now) ? 0 : earlier.count();
      byKey.put(key, new Failures(count + 1, now));
    }
    Iterator<Key> oldest = byKey.keySet().iterator();
    while (byKey.size() > MOST) {
      oldest.next();
      oldest.remove();
    }
  }

  synchronized void succeeded(Key... keys) {
    for (Key key : keys) {
      byKey.remove(key);
    }
  }
}
