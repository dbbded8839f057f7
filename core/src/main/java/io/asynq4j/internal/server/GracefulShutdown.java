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
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.internal.time.TimeMath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of handlers and their tasks when a server stops. */
final class GracefulShutdown {

  /** How long the last settlements may take, after all handlers have ended or been given up. */
  static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);

  private static final long LOOK_NANOS = Duration.ofMillis(100).toNanos();

  private final ServerConfig config;
  private final AttemptRegistry attempts;
  private final SettlementBuffer settler;
  private final EffectiveQueueLimits limits;
  private final ShardTopology shards;
  private final WakeupSignal signal;

  /**
   * @param signal raised when a handler has returned or a task has been settled
   */
  GracefulShutdown(
      ServerConfig config,
      AttemptRegistry attempts,
      SettlementBuffer settler,
      EffectiveQueueLimits limits,
      ShardTopology shards,
      WakeupSignal signal) {
    this.config = config;
    this.attempts = attempts;
    this.settler = settler;
    this.limits = limits;
    this.shards = shards;
    this.signal = signal;
  }

  /** Waits for all handlers, also for those whose tasks have been settled without them. */
  void waitForHandlers() {
    awaitNo(
        () -> attempts.all().stream().anyMatch(attempt -> !attempt.isDecided()) || isAnyRunning(),
        config.shutdownTimeout());
  }

  private boolean isAnyRunning() {
    return running().findAny().isPresent();
  }

  private Stream<Attempt> running() {
    return Stream.concat(attempts.all().stream(), attempts.lingering().stream())
        .filter(Attempt::isRunning);
  }

  /** Waits until everything that is decided has been settled. */
  void flush() {
    awaitNo(this::isUnsettled, FLUSH_TIMEOUT);
  }

  /** In this order: what is handed over after the first look is seen by the second. */
  private boolean isUnsettled() {
    return attempts.all().stream().anyMatch(Attempt::isBeingDecided) || settler.waiting() > 0;
  }

  private void awaitNo(BooleanSupplier condition, Duration most) {
    long end = System.nanoTime() + TimeMath.nanos(most);
    while (condition.getAsBoolean() && end - System.nanoTime() > 0) {
      signal.await(Math.min(end - System.nanoTime(), LOOK_NANOS));
    }
  }

  /**
   * Interrupts the handlers that are left and gives their tasks back to the heads of their queues:
   * at once, or where a queue has limits when a handler has returned, for until then another server
   * must not begin with the task or the next one. When it does not return in time, the task waits
   * until its lease ends.
   */
  void giveBackTheRest() {
    List<Attempt> kept = new ArrayList<>();
    unfinished()
        .forEach(
            (queue, ofQueue) -> {
              if (haveLimits(queue)) {
                ofQueue.forEach(attempt -> attempt.cancel(CancelReason.SHUTDOWN));
                ofQueue.stream().filter(Attempt::isRunning).forEach(kept::add);
                ofQueue.removeAll(kept);
              }
              giveBack(queue, ofQueue);
            });
    awaitNo(
        () -> isUnsettled() || kept.stream().anyMatch(attempt -> !attempt.isDecided()),
        FLUSH_TIMEOUT);
  }

  /** In the order in which they were claimed. */
  private Map<QueueName, List<Attempt>> unfinished() {
    List<Attempt> rest = new ArrayList<>(attempts.all());
    rest.removeIf(Attempt::isDecided);
    rest.sort(Comparator.comparingLong(Attempt::number));
    Map<QueueName, List<Attempt>> byQueue = new HashMap<>();
    rest.forEach(
        attempt -> byQueue.computeIfAbsent(attempt.queue(), any -> new ArrayList<>()).add(attempt));
    return byQueue;
  }

  private boolean haveLimits(QueueName queue) {
    if (!shards.outages().isDown(shards.of(queue))) {
      try {
        return limits.apply(queue);
      } catch (RuntimeException | Error e) {
        shards.outages().failed(shards.of(queue), e);
        SafeLog.error(log, "could not ask for the limits of a queue; its server's count", e);
      }
    }
    return limits.areConfigured(queue);
  }

  private void giveBack(QueueName queue, List<Attempt> unfinished) {
    List<Attempt> abandoned = unfinished.stream().filter(Attempt::abandon).toList();
    if (abandoned.isEmpty()) {
      return;
    }
    log.info("{} unfinished tasks go back to the head of {}", abandoned.size(), queue);
    // Tried again when an error keeps it from being begun: else the tasks wait for their leases.
    long end = System.nanoTime() + FLUSH_TIMEOUT.toNanos();
    boolean done = false;
    while (!done && end - System.nanoTime() > 0) {
      try {
        settler.requeue(queue, abandoned);
        done = true;
      } catch (RuntimeException | Error e) {
        SafeLog.error(log, "could not begin to give tasks back; that is tried again", e);
        signal.await(LOOK_NANOS);
      }
    }
  }

  /** Logs each handler that has not returned, with what it does. */
  void reportSurvivors() {
    running().forEach(GracefulShutdown::report);
  }

  private static void report(Attempt attempt) {
    Thread thread = attempt.thread();
    // A handler that stops its own server is not a surprise.
    if (thread != null && thread != Thread.currentThread()) {
      log.warn(
          "the handler of task {} ({}, queue {}) still runs on thread {} although the server has"
              + " stopped{}\n{}",
          LogText.name(attempt.id()),
          LogText.name(attempt.type()),
          attempt.queue(),
          thread.getName(),
          attempt.isDecided() ? ":" : "; its task waits until its lease ends:",
          Arrays.stream(thread.getStackTrace())
              .map(frame -> "\tat " + frame)
              .collect(Collectors.joining("\n")));
    }
  }
}
