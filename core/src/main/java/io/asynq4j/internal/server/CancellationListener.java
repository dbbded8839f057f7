package io.asynq4j.internal.server;

import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for requests to cancel running tasks, also when Redis is not there at first. */
final class CancellationListener implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(CancellationListener.class);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private final CancellationChannel cancellations;
  private final Consumer<String> listener;
  private final Thread thread =
      new Thread(ThreadSupervisor.untilReturned(this), "asynq-cancellation-start");
  private boolean stopped;
  private CancellationChannel.@Nullable Subscription subscription;

  CancellationListener(CancellationChannel cancellations, Consumer<String> listener) {
    this.cancellations = cancellations;
    this.listener = listener;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Subscribes; from then on the subscription looks after itself. */
  @Override
  public void run() {
    boolean done = false;
    while (!done) {
      try {
        done = keep(cancellations.subscribe(listener));
      } catch (RuntimeException e) {
        log.debug("cannot listen for cancellations yet", e);
        done = !InterruptibleSleep.sleep(AFTER_FAILURE);
      } catch (Error e) {
        SafeLog.error(log, "cannot listen for cancellations yet", e);
        done = !InterruptibleSleep.sleep(AFTER_FAILURE);
      }
    }
  }

  private synchronized boolean keep(CancellationChannel.Subscription started) {
    if (stopped) {
      started.close();
    } else {
      subscription = started;
    }
    return true;
  }

  synchronized void stop() {
    stopped = true;
    thread.interrupt();
    if (subscription != null) {
      subscription.close();
    }
  }
}
