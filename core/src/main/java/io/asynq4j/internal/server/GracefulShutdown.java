package io.asynq4j.internal.server;

import io.asynq4j.QueueName;
import io.asynq4j.handler.TaskContext.CancelReason;
import io.asynq4j.internal.concurrent.WakeupSignal;
import io.asynq4j.internal.server.attempt.Attempt;
import io.asynq4j.internal.server.attempt.AttemptRegistry;
import io.asynq4j.internal.server.config.EffectiveQueueLimits;
import io.asynq4j.internal.server.config.ServerConfig;
import io.asynq4j.internal.server.settle.SettlementBuffer;
import io.asynq4j.internal.server.shard.ShardTopology;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends handlers when a server stops: waits for them, then requeues unfinished tasks.
 *
 * @param signal raised when a handler has returned or tasks have been settled
 */
record GracefulShutdown(
    ServerConfig config,
    AttemptRegistry attempts,
    SettlementBuffer settler,
    EffectiveQueueLimits limits,
    ShardTopology shards,
    WakeupSignal signal) {

  /** Time limit of the last settlements, after all handlers have ended or were abandoned. */
  static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

  private static final String LIMITS_NOT_READ =
      SafeLog.text("could not read the limits of a queue; the configured limits apply");
  private static final String NOT_REQUEUED = SafeLog.text("could not requeue tasks");
  private static final String REQUEUED =
      SafeLog.text("{} unfinished tasks return to the head of queue {}");
  private static final String LEFT =
      SafeLog.text("{} unfinished tasks of queue {} wait until their leases expire");

  private static final long CHECK_NANOS = Duration.ofMillis(100).toNanos();

  /** Waits for all handlers, including those whose tasks have been settled without them. */
  void waitForHandlers() {
    awaitNo(
        () ->
            attempts.all().stream().anyMatch(attempt -> !attempt.isDecided())
                || running().findAny().isPresent(),
        config.shutdownTimeout());
  }

  private Stream<Attempt> running() {
    return Stream.concat(attempts.all().stream(), attempts.lingering().stream())
        .filter(Attempt::isRunning);
  }

  /** Waits until all decided attempts have been settled. */
  void flush() {
    awaitNo(this::isUnsettled, FLUSH_TIMEOUT);
  }

  /** The order matters: an attempt that leaves the first condition is counted by the second. */
  private boolean isUnsettled() {
    return attempts.all().stream().anyMatch(Attempt::isBeingDecided) || settler.waiting() > 0;
  }

  private void awaitNo(BooleanSupplier condition, Duration most) {
    long end = System.nanoTime() + TimeMath.nanos(most);
    while (condition.getAsBoolean() && end - System.nanoTime() > 0) {
      signal.await(Math.min(end - System.nanoTime(), CHECK_NANOS));
    }
  }

  /**
   * Interrupts the remaining handlers and requeues their tasks at the head of their queues. If a
   * queue has limits, a task is requeued only when its handler has returned: until then, no other
   * server may start this task or the next one. If the handler does not return in time, the task
   * waits until its lease expires.
   */
  void requeueUnfinished() {
    List<Attempt> kept = new ArrayList<>();
    attempts
        .byQueue(attempt -> !attempt.isDecided())
        .forEach(
            (queue, ofQueue) -> {
              ofQueue.sort(Comparator.comparingLong(Attempt::number));
              if (hasLimits(queue)) {
                ofQueue.forEach(attempt -> attempt.cancel(CancelReason.SHUTDOWN));
                ofQueue.stream().filter(Attempt::isRunning).forEach(kept::add);
                ofQueue.removeAll(kept);
              }
              requeue(queue, ofQueue);
            });
    awaitNo(
        () -> isUnsettled() || kept.stream().anyMatch(attempt -> !attempt.isDecided()),
        FLUSH_TIMEOUT);
  }

  private boolean hasLimits(QueueName queue) {
    if (!shards.outages().isDown(shards.of(queue))) {
      try {
        return limits.apply(queue);
      } catch (RuntimeException | Error e) {
        shards.outages().failed(shards.of(queue), e);
        SafeLog.error(log, LIMITS_NOT_READ, e);
      }
    }
    return limits.areConfigured(queue);
  }

  private void requeue(QueueName queue, List<Attempt> unfinished) {
    List<Attempt> abandoned = unfinished.stream().filter(Attempt::abandon).toList();
    if (abandoned.isEmpty()) {
      return;
    }
    // Retried if it could not be started: otherwise the tasks would wait for their leases.
    long end = System.nanoTime() + FLUSH_TIMEOUT.toNanos();
    while (end - System.nanoTime() > 0) {
      try {
        settler.requeue(queue, abandoned);
        SafeLog.info(log, REQUEUED, abandoned.size(), queue);
        return;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, NOT_REQUEUED, e);
        signal.await(CHECK_NANOS);
      }
    }
    SafeLog.info(log, LEFT, abandoned.size(), queue);
  }

  /** Logs each handler that has not returned, with its stack trace. */
  void reportSurvivors() {
    running().forEach(GracefulShutdown::report);
  }

  private static void report(Attempt attempt) {
    Thread thread = attempt.thread();
    // A handler that stops its own server is expected.
    if (thread != null && thread != Thread.currentThread()) {
      log.warn(
          "the handler of {} still runs on thread {} although the server has stopped{}\n{}",
          attempt.label(),
          thread.getName(),
          attempt.isDecided() ? ":" : "; its task waits until its lease expires:",
          Arrays.stream(thread.getStackTrace())
              .map(frame -> "\tat " + frame)
              .collect(Collectors.joining("\n")));
    }
  }
}
