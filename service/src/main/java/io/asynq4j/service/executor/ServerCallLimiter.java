package io.asynq4j.service.executor;

import io.asynq4j.internal.text.SafeLog;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs calls to Redis on shared threads, a limited number at a time for each server of a cluster:
 * calls to a server that does not answer delay no calls to others. Thread-safe.
 */
public final class ServerCallLimiter {

  private static final Logger log = LoggerFactory.getLogger(ServerCallLimiter.class);

  private static final int MAX_PER_SERVER = 8;

  /** Guarded by the limiter. */
  private static final class Lane {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int threads;
  }

  private final Executor threads;
  private final Map<String, Lane> lanes = new HashMap<>();

  public ServerCallLimiter(Executor threads) {
    this.threads = threads;
  }

  /**
   * Runs a call as soon as the server has a free thread.
   *
   * @throws RuntimeException when there is no thread, such as after a shutdown; the call does not
   *     run then
   */
  public void execute(String server, Runnable call) {
    synchronized (this) {
      Lane lane = lanes.computeIfAbsent(server, any -> new Lane());
      lane.waiting.add(call);
      if (lane.threads == MAX_PER_SERVER) {
        return;
      }
      lane.threads++;
    }
    try {
      threads.execute(() -> run(server));
    } catch (RuntimeException | Error e) {
      if (remove(server, call)) {
        throw e;
      }
    }
  }

  private void run(String server) {
    Runnable call;
    while ((call = next(server)) != null) {
      try {
        call.run();
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "a call to Redis failed; later calls are not affected", e);
      }
    }
  }

  private synchronized @Nullable Runnable next(String server) {
    Lane lane = lanes.get(server);
    Runnable call = lane == null ? null : lane.waiting.poll();
    if (lane != null && call == null) {
      endThread(server, lane);
    }
    return call;
  }

  private void endThread(String server, Lane lane) {
    lane.threads--;
    if (lane.threads == 0 && lane.waiting.isEmpty()) {
      lanes.remove(server);
    }
  }

  /** Removes a call; false when another thread of the server has taken it. */
  private synchronized boolean remove(String server, Runnable call) {
    Lane lane = lanes.get(server);
    if (lane == null) {
      return false;
    }
    boolean removed = lane.waiting.remove(call);
    endThread(server, lane);
    return removed;
  }
}
