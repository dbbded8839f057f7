package io.asynq4j.dashboard.live;

import io.asynq4j.dashboard.auth.User;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * One page that watches live. Whoever sends never waits for it: what it cannot take yet is kept,
 * and one that is too far behind is ended, and comes back for a whole snapshot. Thread-safe.
 */
final class EventStream implements WriteListener, AsyncListener {

  private static final int MOST_WAITING = 50;
  private static final long MOST_WAITING_BYTES = 32L << 20;

  private final AsyncContext context;
  private final User user;
  private final Consumer<EventStream> gone;
  private final long began = System.nanoTime();
  private final ServletOutputStream out;
  private final Deque<byte[]> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean isFlushed = true;
  private boolean isEnded;

  EventStream(AsyncContext context, User user, Consumer<EventStream> gone) {
    this.context = context;
    this.user = user;
    this.gone = gone;
    try {
      this.out = context.getResponse().getOutputStream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  void begin() {
    context.setTimeout(0);
    context.addListener(this);
    out.setWriteListener(this);
  }

  User user() {
    return user;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  void send(byte[] message) {
    boolean isTooFarBehind;
    synchronized (this) {
      if (isEnded) {
        return;
      }
      waiting.addLast(message);
      waitingBytes += message.length;
      isTooFarBehind = waiting.size() > MOST_WAITING || waitingBytes > MOST_WAITING_BYTES;
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
          byte[] next = waiting.pollFirst();
          if (next != null) {
            waitingBytes -= next.length;
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

  /** Ends it; a browser connects again by itself. */
  void end() {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
      waiting.clear();
    }
    gone.accept(this);
    try {
      context.complete();
    } catch (IllegalStateException e) {
      // It is complete already.
    }
  }

  private void lost() {
    synchronized (this) {
      isEnded = true;
      waiting.clear();
    }
    gone.accept(this);
  }

  @Override
  public void onError(Throwable failure) {
    end();
  }

  @Override
  public void onComplete(AsyncEvent event) {
    lost();
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
