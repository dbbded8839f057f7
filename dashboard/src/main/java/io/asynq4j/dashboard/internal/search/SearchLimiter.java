package io.asynq4j.dashboard.internal.search;

import io.asynq4j.dashboard.internal.auth.User;
import io.asynq4j.dashboard.internal.problem.Problems;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Limits the number of concurrent searches, in total and per user, so that searches never occupy
 * all request threads. Above the limit, a limited number of searches wait for a short time.
 * Thread-safe.
 */
public final class SearchLimiter {

  static final int MOST = 8;
  static final int MAX_PER_USER = 4;

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Map<String, Searches> byUser = new HashMap<>();
  private int running;

  private static final class Searches {
    int running;
    int waiting;
  }

  public <T> T run(User user, Supplier<T> search) {
    String name = String.valueOf(user.name());
    enter(name);
    try {
      return search.get();
    } finally {
      leave(name);
    }
  }

  private synchronized void enter(String user) {
    Searches own = byUser.computeIfAbsent(user, any -> new Searches());
    long end = System.nanoTime() + PATIENCE.toNanos();
    own.waiting++;
    try {
      while (running >= MOST || own.running >= MAX_PER_USER) {
        long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (left <= 0 || own.waiting > MAX_PER_USER) {
          throw Problems.tooMany("Too many searches are running. Try again in a second.", 1);
        }
        wait(left);
      }
      running++;
      own.running++;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Problems.busy("The dashboard is shutting down.");
    } finally {
      own.waiting--;
      forgetIdle(user, own);
    }
  }

  private synchronized void leave(String user) {
    Searches own = byUser.computeIfAbsent(user, any -> new Searches());
    running--;
    own.running--;
    forgetIdle(user, own);
    notifyAll();
  }

  private void forgetIdle(String user, Searches own) {
    if (own.running == 0 && own.waiting == 0) {
      byUser.remove(user);
    }
  }
}
