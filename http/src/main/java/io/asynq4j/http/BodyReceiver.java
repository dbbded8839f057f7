package io.asynq4j.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Receives the body of a request before a thread handles it, so that slow senders occupy no thread.
 * Bodies that arrive too slowly are refused. Thread-safe.
 */
public final class BodyReceiver extends Handler.Wrapper {

  /** A body that is more than this many times too large is refused without being read. */
  private static final int MAX_DISCARDED = 4;

  private final Supplier<BodyLimits> limits;
  private final Function<Request, Optional<BodyCaller>> callers;
  private final BodyMemory memory = new BodyMemory();

  /**
   * @param callers returns the sender of a request; empty for requests that are refused regardless
   *     of their body, which is then not read
   */
  public BodyReceiver(
      Handler next, Supplier<BodyLimits> limits, Function<Request, Optional<BodyCaller>> callers) {
    super(next);
    this.limits = limits;
    this.callers = callers;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    BodyLimits now = limits.get();
    boolean hasBody =
        request.getLength() > 0 || request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING);
    boolean isTooLarge = request.getLength() > now.largest();
    if (!hasBody
        || isRead(request.getMethod())
        || (isTooLarge && request.getLength() / MAX_DISCARDED > now.largest())) {
      return super.handle(request, response, callback);
    }
    Optional<BodyCaller> caller = callers.apply(request);
    if (caller.isEmpty()) {
      return super.handle(request, response, callback);
    }
    new Reception(request, response, callback, now, caller.get(), isTooLarge).begin();
    return true;
  }

  /** Whether the handler of a request ignores its body. */
  private static boolean isRead(String method) {
    return HttpMethod.GET.is(method) || HttpMethod.HEAD.is(method);
  }

  /** Number of bytes of bodies in memory. */
  public long held() {
    return memory.held();
  }

  /**
   * One body that is being received. One that is slightly too large is read and discarded before it
   * is refused: a client that is still sending when the connection is closed may not see the
   * response.
   */
  private final class Reception implements Runnable {
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final BodyLimits limits;
    private final BodyCaller caller;
    private final boolean isDiscarded;
    private final long began = System.nanoTime();

    // All guarded by this.
    private ByteArrayOutputStream body = new ByteArrayOutputStream(512);
    private int counted;
    private int countedAtLastCheck;
    private boolean ended;
    private Scheduler.@Nullable Task deadline;

    Reception(
        Request request,
        Response response,
        Callback callback,
        BodyLimits limits,
        BodyCaller caller,
        boolean isDiscarded) {
      this.request = request;
      this.response = response;
      this.callback = callback;
      this.limits = limits;
      this.caller = caller;
      this.isDiscarded = isDiscarded;
    }

    void begin() {
      run();
      synchronized (this) {
        if (!ended) {
          scheduleCheck();
        }
      }
    }

    private void scheduleCheck() {
      Duration left = limits.longest().minusNanos(System.nanoTime() - began);
      Duration in = left.compareTo(limits.grace()) > 0 ? limits.grace() : left;
      deadline =
          request
              .getComponents()
              .getScheduler()
              .schedule(this::check, Math.max(0, in.toNanos()), TimeUnit.NANOSECONDS);
    }

    /**
     * Continues as long as enough bytes have arrived since the last check, and the body is not too
     * old.
     */
    private void check() {
      synchronized (this) {
        if (ended) {
          return;
        }
        boolean enough = counted - countedAtLastCheck >= limits.minPerPeriod();
        if (enough && System.nanoTime() - began < limits.longest().toNanos()) {
          countedAtLastCheck = counted;
          scheduleCheck();
          return;
        }
        ended = true;
      }
      // Not on the thread of the scheduler, which all requests share.
      request.getComponents().getExecutor().execute(() -> refuse(HttpStatus.REQUEST_TIMEOUT_408));
    }

    /** Reads what has arrived; called again when there is more. */
    @Override
    public void run() {
      Runnable next;
      do {
        next = step();
      } while (next == null);
      next.run();
    }

    /** Reads one chunk. Returns the action to run without the lock; null to continue. */
    private synchronized @Nullable Runnable step() {
      if (ended) {
        return () -> {};
      }
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        return () -> request.demand(this);
      }
      if (Content.Chunk.isFailure(chunk)) {
        end();
        return () -> {
          release();
          callback.failed(chunk.getFailure());
        };
      }
      boolean last = chunk.isLast();
      int status = keep(chunk);
      if (status != 0) {
        end();
        return () -> refuse(status);
      }
      if (last) {
        end();
        return this::handOver;
      }
      return null;
    }

    /** Reserves and keeps a chunk, both or neither. Returns the status to refuse it with, or 0. */
    private synchronized int keep(Content.Chunk chunk) {
      try {
        int size = chunk.remaining();
        if (isDiscarded) {
          counted += size;
          return 0;
        }
        if (counted + (long) size > limits.largest()) {
          return HttpStatus.PAYLOAD_TOO_LARGE_413;
        }
        if (!memory.tryHold(caller, size, limits)) {
          return HttpStatus.SERVICE_UNAVAILABLE_503;
        }
        counted += size;
        // Copied: a chunk of one byte would keep a whole buffer.
        byte[] bytes = new byte[size];
        chunk.get(bytes, 0, size);
        body.writeBytes(bytes);
        return 0;
      } finally {
        chunk.release();
      }
    }

    private synchronized void end() {
      ended = true;
      if (deadline != null) {
        deadline.cancel();
      }
    }

    private synchronized void release() {
      if (!isDiscarded) {
        memory.release(caller, counted);
      }
      counted = 0;
      body = new ByteArrayOutputStream(0);
    }

    /** Returns the whole body, and keeps no reference to it. */
    private synchronized byte[] takeBody() {
      byte[] whole = body.toByteArray();
      body = new ByteArrayOutputStream(0);
      return whole;
    }

    private void refuse(int status) {
      release();
      if (status == HttpStatus.SERVICE_UNAVAILABLE_503) {
        response.getHeaders().put(HttpHeader.RETRY_AFTER, 1);
      }
      // The rest of the body is not read, so the connection cannot be reused.
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
      Response.writeError(request, response, callback, status);
    }

    private void handOver() {
      Callback releasing = Callback.from(callback, this::release);
      Request received = isDiscarded ? request : new ReceivedRequest(request, takeBody());
      try {
        if (!BodyReceiver.super.handle(received, response, releasing)) {
          Response.writeError(received, response, releasing, HttpStatus.NOT_FOUND_404);
        }
      } catch (Exception | Error e) {
        Response.writeError(received, response, releasing, e);
      }
    }
  }

  /** A request whose body has been received. */
  private static final class ReceivedRequest extends Request.Wrapper {
    private Content.@Nullable Chunk rest;

    ReceivedRequest(Request request, byte[] body) {
      super(request);
      this.rest = Content.Chunk.from(ByteBuffer.wrap(body), /* last= */ true);
    }

    @Override
    public synchronized Content.Chunk read() {
      Content.Chunk next = rest;
      rest = Content.Chunk.EOF;
      return next == null ? Content.Chunk.EOF : next;
    }

    @Override
    public void demand(Runnable available) {
      getComponents().getExecutor().execute(available);
    }

    @Override
    public boolean consumeAvailable() {
      return true;
    }
  }
}
