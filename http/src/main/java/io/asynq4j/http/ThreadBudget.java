package io.asynq4j.http;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Limits the threads of a server that requests use; further requests wait without a thread. Exempt
 * requests, such as health checks, always find a thread. Thread-safe.
 */
public final class ThreadBudget extends Handler.Wrapper {

  /** Threads that only exempt requests may use; some of them are Jetty's own. */
  public static final int RESERVED = 20;

  private static final int MAX_WAITING = 10_000;

  private record Waiting(Request request, Response response, Callback callback) {}

  private final int max;
  private final Predicate<Request> exempt;

  // Both guarded by this.
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private int running;

  public ThreadBudget(Handler next, int max, Predicate<Request> exempt) {
    super(next);
    this.max = max;
    this.exempt = exempt;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (exempt.test(request)) {
      return super.handle(request, response, callback);
    }
    synchronized (this) {
      if (running < max) {
        running++;
      } else if (waiting.size() < MAX_WAITING) {
        waiting.add(new Waiting(request, response, callback));
        return true;
      } else {
        response.getHeaders().put(HttpHeader.RETRY_AFTER, 1);
        Response.writeError(request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
        return true;
      }
    }
    try {
      return super.handle(request, response, callback);
    } finally {
      next();
    }
  }

  /** Passes the thread to the request that has waited longest. */
  private void next() {
    while (true) {
      Waiting next = takeFirst();
      if (next == null) {
        return;
      }
      try {
        getServer().getThreadPool().execute(() -> begin(next));
        return;
      } catch (RejectedExecutionException e) {
        // The server is stopping, and the waiting requests with it.
        next.callback().failed(e);
      }
    }
  }

  private synchronized @Nullable Waiting takeFirst() {
    Waiting first = waiting.poll();
    if (first == null) {
      running--;
    }
    return first;
  }

  private void begin(Waiting next) {
    try {
      if (!super.handle(next.request(), next.response(), next.callback())) {
        Response.writeError(
            next.request(), next.response(), next.callback(), HttpStatus.NOT_FOUND_404);
      }
    } catch (Exception | Error e) {
      Response.writeError(next.request(), next.response(), next.callback(), e);
    } finally {
      next();
    }
  }
}
