package io.asynq4j.internal.server;

import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.broker.pubsub.CancellationChannel;
import io.asynq4j.internal.broker.pubsub.ControlMessage;
import io.asynq4j.internal.concurrent.DaemonThreadPools;
import io.asynq4j.internal.concurrent.InterruptibleSleep;
import io.asynq4j.internal.concurrent.ThreadSupervisor;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.text.SafeLog;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives control messages of inspectors: requests to cancel tasks, and to quiet or stop this
 * server. Retries until Redis accepts the subscription. Thread-safe.
 */
final class ControlMessageListener implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(ControlMessageListener.class);

  private static final String NOT_SUBSCRIBED =
      SafeLog.text("could not subscribe to control messages; retrying");

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private final CancellationChannel channel;
  private final AttemptRegistry attempts;
  private final ServerEngine engine;
  private final Thread thread =
      DaemonThreadPools.factory("asynq-cancellation-start")
          .newThread(ThreadSupervisor.untilReturned(this));
  private boolean stopped;
  private CancellationChannel.@Nullable Subscription subscription;

  ControlMessageListener(
      CancellationChannel channel, AttemptRegistry attempts, ServerEngine engine) {
    this.channel = channel;
    this.attempts = attempts;
    this.engine = engine;
  }

  void start() {
    thread.start();
  }

  /** Subscribes. Afterwards the subscription reconnects by itself. */
  @Override
  public void run() {
    do {
      try {
        keep(channel.subscribe(this::receive));
        return;
      } catch (RuntimeException e) {
        log.debug(NOT_SUBSCRIBED, e);
      } catch (Error e) {
        SafeLog.error(log, NOT_SUBSCRIBED, e);
      }
    } while (InterruptibleSleep.sleepNanos(AFTER_FAILURE.toNanos()));
  }

  private synchronized void keep(CancellationChannel.Subscription started) {
    if (stopped) {
      started.close();
    } else {
      subscription = started;
    }
  }

  /** Handles a control message, or the ID of a task to cancel, which Go sends alone. */
  private void receive(String message) {
    Optional<ControlMessage> parsed = ControlMessage.parse(message);
    if (parsed.isEmpty()) {
      attempts.withId(message).forEach(attempt -> attempt.cancel(CancelReason.REQUESTED));
    } else if (parsed.get() instanceof ControlMessage.Cancel cancel) {
      attempts.withId(cancel.id()).stream()
          .filter(attempt -> attempt.queue().equals(cancel.queue()))
          .forEach(attempt -> attempt.cancel(cancel.after()));
    } else if (parsed.get().equals(new ControlMessage.Quiet(engine.id()))) {
      log.info("an inspector makes server {} quiet", engine.id());
      engine.quiet();
    } else if (parsed.get().equals(new ControlMessage.Stop(engine.id()))) {
      log.info("an inspector stops server {}", engine.id());
      // On a separate thread: this one belongs to the subscription, which a stop ends.
      DaemonThreadPools.factory("asynq-remote-stop").newThread(engine::stop).start();
    }
  }

  synchronized void stop() {
    stopped = true;
    thread.interrupt();
    if (subscription != null) {
      subscription.close();
    }
  }
}
