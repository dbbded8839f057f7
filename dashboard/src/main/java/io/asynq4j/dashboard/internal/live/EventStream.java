package io.asynq4j.dashboard.internal.live;

import io.asynq4j.dashboard.internal.auth.User;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * The event stream of one open page. Sending never blocks: messages that the client does not read
 * are buffered. A stream that is too far behind is closed; the browser reconnects and gets a new
 * snapshot. Thread-safe.
 */
final class EventStream implements WriteListener, AsyncListener {

  private static final int MAX_BUFFERED = 50;
  private static final long MAX_BUFFERED_BYTES = 32L << 20;

  private final AsyncContext context;
  private final User user;
  private final Consumer<EventStream> onEnd;
  private final long startedNanos = System.nanoTime();
  private final ServletOutputStream out;
  private final Deque<byte[]> buffer = new ArrayDeque<>();
  private long bufferedBytes;
  private boolean isFlushed = true;
  private boolean isEnded;

  EventStream(AsyncContext context, User user, Consumer<EventStream> onEnd) {
    this.context = context;
    this.user = user;
    this.onEnd = onEnd;
    try {
      this.out = context.getResponse().getOutputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void start() {
    context.setTimeout(0);
    context.addListener(this);
    out.setWriteListener(this);
  }

  User user() {
    return user;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  void send(byte[] message) {
    boolean isTooFarBehind;
    synchronized (this) {
      if (isEnded) {
        return;
      }
      buffer.addLast(message);
      bufferedBytes += message.length;
      isTooFarBehind = buffer.size() > MAX_BUFFERED || bufferedBytes > MAX_BUFFERED_BYTES;
    }
    if (isTooFarBehind) {
      end();
    } else {
      write();
    }
  }

  @Override
  public void onWritePossible() {
    write();
  }

  private void write() {
    boolean failed = false;
    synchronized (this) {
      try {
        while (!isEnded && out.isReady()) {
          byte[] next = buffer.pollFirst();
          if (next != null) {
            bufferedBytes -= next.length;
            out.write(next);
            isFlushed = false;
          } else if (!isFlushed) {
            isFlushed = true;
            out.flush();
          } else {
            break;
          }
        }
      } catch (IOException | IllegalStateException e) {
        failed = true;
      }
    }
    if (failed) {
      end();
    }
  }

  /** Closes the stream. A browser reconnects automatically. */
  void end() {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
      buffer.clear();
    }
    onEnd.accept(this);
    try {
      context.complete();
    } catch (IllegalStateException e) {
      // Already completed.
    }
  }

  private void discard() {
    synchronized (this) {
      isEnded = true;
      buffer.clear();
    }
    onEnd.accept(this);
  }

  @Override
  public void onError(Throwable failure) {
    end();
  }

  @Override
  public void onComplete(AsyncEvent event) {
    discard();
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    end();
  }

  @Override
  public void onError(AsyncEvent event) {
    end();
  }

  @Override
  public void onStartAsync(AsyncEvent event) {}
}
