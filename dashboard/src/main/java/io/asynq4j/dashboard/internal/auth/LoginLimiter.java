package io.asynq4j.dashboard.internal.auth;

import io.asynq4j.dashboard.internal.problem.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Slows down guessing of passwords. Failed logins are counted per name and network, per network,
 * and per name over all networks. After some failures the next login is delayed, and each further
 * failure doubles the delay. A name that has logged in from a network is not delayed by failures of
 * other names there. A network with a successful login is not delayed by failures elsewhere.
 * Thread-safe; the number of remembered failures and logins is limited.
 */
public final class LoginLimiter {

  /** Failures of one name from one network before the first delay. */
  public static final int PER_NAME = 5;

  /** Failures of a network before the first delay; a whole company may share a network. */
  static final int PER_NETWORK = 50;

  /** Failures of a name over all networks before the first delay. */
  static final int PER_NAME_EVERYWHERE = 50;

  static final Duration KNOWN = Duration.ofDays(1);

  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration FORGET = Duration.ofMinutes(15);
  private static final int MOST = 10_000;

  private final LongSupplier nanoTime;
  private final Map<Key, FailureCount> failures = new LinkedHashMap<>();
  private final Map<String, Long> logins = new LinkedHashMap<>();

  public LoginLimiter() {
    this(System::nanoTime);
  }

  LoginLimiter(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * The name and network of a login.
   *
   * @param name name with its kind, because a user and a token may have the same name
   * @param network network, such as {@code 192.0.2.1/32}
   */
  public record Login(String name, String network) {
    private String both() {
      return name + " from " + network;
    }
  }

  /**
   * @param free number of failures before the first delay
   */
  private record Key(String text, int free) {}

  private record FailureCount(int count, long lastNanos) {

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

  /** Throws a problem if this login is delayed. */
  public synchronized void check(Login login) {
    long now = nanoTime.getAsLong();
    List<Key> keys = new ArrayList<>();
    keys.add(byNameAndNetwork(login));
    if (!isKnown(login.both(), now)) {
      keys.add(byNetwork(login));
    }
    if (!isKnown(login.network(), now)) {
      keys.add(byName(login));
    }
    long left =
        keys.stream()
            .mapToLong(
                key -> {
                  FailureCount failed = failures.get(key);
                  return failed == null ? 0 : failed.secondsLeft(key.free(), now);
                })
            .max()
            .orElse(0);
    if (left > 0) {
      throw Problems.tooMany("Too many failed logins. Try again in " + left + " seconds.", left);
    }
  }

  private boolean isKnown(String key, long now) {
    Long at = logins.get(key);
    return at != null && now - at < KNOWN.toNanos();
  }

  private static Key byNameAndNetwork(Login login) {
    return new Key(login.both(), PER_NAME);
  }

  private static Key byNetwork(Login login) {
    return new Key(login.network(), PER_NETWORK);
  }

  private static Key byName(Login login) {
    return new Key(login.name(), PER_NAME_EVERYWHERE);
  }

  public synchronized void failed(Login login) {
    long now = nanoTime.getAsLong();
    for (Key key : List.of(byNameAndNetwork(login), byNetwork(login), byName(login))) {
      FailureCount earlier = failures.remove(key);
      int count = earlier == null || earlier.isOld(now) ? 0 : earlier.count();
      failures.put(key, new FailureCount(count + 1, now));
    }
    bound(failures);
  }

  public synchronized void succeeded(Login login) {
    failures.remove(byNameAndNetwork(login));
    long now = nanoTime.getAsLong();
    for (String known : List.of(login.both(), login.network())) {
      logins.remove(known);
      logins.put(known, now);
    }
    bound(logins);
  }

  /** Removes the oldest entry above the limit. */
  private static <K> void bound(Map<K, ?> map) {
    Iterator<K> oldest = map.keySet().iterator();
    while (map.size() > MOST) {
      oldest.next();
      oldest.remove();
    }
  }
}
