package io.asynq4j.http;

import io.asynq4j.internal.text.SafeLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends responses without blocking a thread until clients read them: unread data is kept in memory,
 * and the thread is free for the next request. A client that takes too long is disconnected. Event
 * streams are passed through, since they never block. Thread-safe.
 */
public final class ResponseSender extends Handler.Wrapper {

  /**
   * Request attribute with a {@link Runnable} that runs if the response was accepted here but could
   * not be sent. It may run although the writer has seen a failure too.
   */
  public static final String UNDELIVERED = ResponseSender.class.getName() + ".undelivered";

  /** Bytes of each response that are kept in memory, regardless of the total. */
  private static final int ALWAYS_KEPT = 128 << 10;

  /** How long a client may take to read the data in memory. */
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private static final Logger log = LoggerFactory.getLogger(ResponseSender.class);

  private static final String ACTION_FAILED =
      SafeLog.text("the action for an undelivered response failed");

  private static final String EVENT_STREAM = "text/event-stream";

  private final long max;
  private final Duration longest;
  private final AtomicLong held = new AtomicLong();

  public ResponseSender(Handler next) {
    this(next, Runtime.getRuntime().maxMemory() / 8, LONGEST);
  }

  /**
   * @param max maximum bytes of all responses in memory; above it, threads block until clients read
   *     large responses
   */
  ResponseSender(Handler next, long max, Duration longest) {
    super(next);
    this.max = max;
    this.longest = longest;
  }

  /** Number of bytes of responses in memory. */
  public long held() {
    return held.get();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Sending sending = new Sending(request, response, callback);
    return super.handle(request, sending, sending);
  }

  private record Part(boolean last, ByteBuffer bytes, int size) {
    /** Copies the data: the writer reuses its buffer. */
    static Part of(boolean last, @Nullable ByteBuffer source) {
      if (source == null) {
        return new Part(last, ByteBuffer.allocate(0), 0);
      }
      int size = source.remaining();
      return new Part(last, ByteBuffer.allocate(size).put(source).flip(), size);
    }
  }

  /** One response. It ends when its handler has ended and all data is sent. */
  private final class Sending extends Response.Wrapper implements Callback {
    private final Callback callback;
    private final Writes writes = new Writes();

    // All guarded by this.
    private final Queue<Part> waiting = new ArrayDeque<>();
    private int parts;
    private long unsent;
    private boolean hasLast;
    private boolean isHandled;
    private @Nullable Throwable failure;
    private @Nullable Callback blocked;
    private Scheduler.@Nullable Task deadline;

    Sending(Request request, Response response, Callback callback) {
      super(request, response);
      this.callback = callback;
    }

    @Override
    public void write(boolean last, @Nullable ByteBuffer bytes, Callback writer) {
      if (isEventStream()) {
        super.write(last, bytes, writer);
        return;
      }
      Part part = Part.of(last, bytes);
      Throwable failed;
      synchronized (this) {
        failed = failure;
        if (failed == null) {
          waiting.add(part);
          parts++;
          unsent += part.size();
          held.addAndGet(part.size());
          hasLast |= last;
        }
      }
      if (failed == null) {
        writes.iterate();
        synchronized (this) {
          failed = failure;
          if (failed == null && parts > 0) {
            startDeadline();
            if (!canContinue()) {
              blocked = writer;
              return;
            }
          }
        }
      }
      if (failed == null) {
        writer.succeeded();
      } else {
        writer.failed(failed);
      }
    }

    private boolean isEventStream() {
      String type = getHeaders().get(HttpHeader.CONTENT_TYPE);
      return type != null && type.startsWith(EVENT_STREAM);
    }

    /** Whether the writer can continue without waiting for the client. */
    private boolean canContinue() {
      return unsent <= ALWAYS_KEPT || held.get() <= max;
    }

    private void startDeadline() {
      if (deadline == null) {
        deadline =
            getRequest()
                .getComponents()
                .getScheduler()
                .schedule(this::disconnect, longest.toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    private void stopDeadline() {
      if (deadline != null) {
        deadline.cancel();
        deadline = null;
      }
    }

    /** Fails the current write. */
    private void disconnect() {
      TimeoutException cause = new TimeoutException("the client reads the response too slowly");
      // Not on the thread of the scheduler, which all responses share.
      getRequest()
          .getComponents()
          .getExecutor()
          .execute(
              () -> {
                if (isUnsent()) {
                  getRequest().getConnectionMetaData().getConnection().getEndPoint().close(cause);
                }
              });
    }

    /** Whether parts are unsent. After the last one, the connection may serve another request. */
    private synchronized boolean isUnsent() {
      return parts > 0 && failure == null;
    }

    @Override
    public boolean hasLastWrite() {
      synchronized (this) {
        if (hasLast) {
          return true;
        }
      }
      return super.hasLastWrite();
    }

    /** Called when the handler has ended. */
    @Override
    public void succeeded() {
      Throwable failed;
      synchronized (this) {
        isHandled = true;
        failed = failure;
        if (failed == null && parts > 0) {
          return;
        }
      }
      end(failed);
    }

    @Override
    public void failed(Throwable cause) {
      Callback writer = fail(cause);
      if (writer != null) {
        writer.failed(cause);
      }
      callback.failed(cause);
    }

    private void end(@Nullable Throwable failed) {
      if (failed == null) {
        callback.succeeded();
      } else {
        callback.failed(failed);
      }
    }

    /** Discards unsent data. Returns the writer that waits, if any. */
    private synchronized @Nullable Callback fail(Throwable cause) {
      if (failure == null) {
        failure = cause;
      }
      stopDeadline();
      held.addAndGet(-unsent);
      unsent = 0;
      parts = 0;
      waiting.clear();
      Callback writer = blocked;
      blocked = null;
      return writer;
    }

    private synchronized @Nullable Part next() {
      return waiting.poll();
    }

    /** Runs an action on a thread of the server, or on this one if there is none. */
    private void executeOrRun(Runnable action) {
      try {
        getRequest().getComponents().getExecutor().execute(action);
      } catch (RuntimeException | Error e) {
        try {
          action.run();
        } catch (RuntimeException | Error other) {
          SafeLog.error(log, ACTION_FAILED, other);
        }
      }
    }

    /** Sends the parts in order. */
    private final class Writes extends IteratingCallback {
      private int size;

      @Override
      public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
      }

      @Override
      protected Action process() {
        Part part = next();
        if (part == null) {
          return Action.IDLE;
        }
        size = part.size();
        Sending.super.write(part.last(), part.bytes(), this);
        return Action.SCHEDULED;
      }

      @Override
      protected void onSuccess() {
        Callback writer = null;
        boolean isEnd;
        synchronized (Sending.this) {
          if (failure != null) {
            return;
          }
          parts--;
          unsent -= size;
          held.addAndGet(-size);
          if (parts == 0) {
            stopDeadline();
          }
          if (blocked != null && canContinue()) {
            writer = blocked;
            blocked = null;
          }
          isEnd = isHandled && parts == 0;
        }
        if (writer != null) {
          writer.succeeded();
        }
        if (isEnd) {
          end(null);
        }
      }

      @Override
      protected void onCompleteFailure(Throwable cause) {
        Callback writer;
        boolean isEnd;
        synchronized (Sending.this) {
          if (failure != null) {
            return;
          }
          writer = fail(cause);
          isEnd = isHandled;
        }
        if (getRequest().getAttribute(UNDELIVERED) instanceof Runnable action) {
          executeOrRun(action);
        }
        if (writer != null) {
          writer.failed(cause);
        }
        if (isEnd) {
          end(cause);
        }
      }
    }
  }
}
