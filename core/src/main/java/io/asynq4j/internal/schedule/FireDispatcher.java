package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.QueueName;
import io.asynq4j.client.DuplicateTaskException;
import io.asynq4j.client.TaskIdConflictException;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.schedule.DueEntry.PendingFire;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.schedule.SchedulerListener;
import io.asynq4j.schedule.SchedulerListener.Firing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues due tasks, notifies the listeners, and records the tasks in the history. Used by one
 * thread.
 */
final class FireDispatcher {

  private static final Logger log = LoggerFactory.getLogger(FireDispatcher.class);

  /** Maximum payload bytes per call, except for a single task. */
  private static final long MAX_BYTES = 1 << 20;

  /** Number of failed queues after which the Redis server counts as unavailable. */
  private static final int MAX_OUTAGES = 3;

  /** How long the entries of a queue wait after Redis has refused a call. */
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

  private final ScheduleLedger ledger;
  private final LaneExecutor lanes;
  private final ScheduleHistoryWriter history;
  private final List<SchedulerListener> listeners;
  private final Set<QueueName> refused = new HashSet<>();

  FireDispatcher(
      ScheduleLedger ledger,
      LaneExecutor lanes,
      ScheduleHistoryWriter history,
      List<SchedulerListener> listeners) {
    this.ledger = ledger;
    this.lanes = lanes;
    this.history = history;
    this.listeners = listeners;
  }

  /** The firings of one queue that one call carries. */
  private record FireCall(QueueName queue, List<PendingFire> fires) {}

  /**
   * Fires due entries and runs requested by operators. Entries that have advanced beyond the known
   * state, or were changed by an operator, are marked as outdated.
   *
   * @param failed called when a server cannot be reached, with the lane of its entries
   */
  void fire(List<PendingFire> due, Instant now, BiConsumer<Lane, Throwable> failed) {
    Map<QueueName, List<PendingFire>> byQueue =
        due.stream()
            .collect(
                Collectors.groupingBy(
                    fire -> fire.entry().queue(), LinkedHashMap::new, Collectors.toList()));
    Map<Lane, List<FireCall>> byLane = new LinkedHashMap<>();
    byQueue.forEach(
        (queue, fires) -> {
          List<FireCall> calls =
              byLane.computeIfAbsent(lanes.of(Purpose.ENTRIES, queue), any -> new ArrayList<>());
          BatchSplitter.of(
                  fires,
                  ScheduleLedger.MOST_FIRINGS,
                  MAX_BYTES,
                  fire -> fire.inLedger().task().message().payload().size())
              .forEach(some -> calls.add(new FireCall(queue, some)));
        });
    byLane.forEach((lane, calls) -> fire(lane, calls, now, failed));
  }

  /** Calls Redis, possibly on another thread. Listeners are called before and after all calls. */
  private void fire(
      Lane lane, List<FireCall> calls, Instant now, BiConsumer<Lane, Throwable> failed) {
    if (!lanes.isFree(lane)) {
      return;
    }
    List<PendingFire> fires = calls.stream().flatMap(call -> call.fires().stream()).toList();
    for (PendingFire fire : fires) {
      fire.entry().underWay(true);
      notifyListeners(fire.firing(), SchedulerListener::beforeEnqueue);
    }
    List<Runnable> effects = new ArrayList<>();
    Runnable apply =
        () -> {
          fires.forEach(fire -> fire.entry().underWay(false));
          effects.forEach(Runnable::run);
          history.write();
        };
    lanes.run(
        lane,
        () -> send(calls, effects, now),
        apply,
        failure -> {
          apply.run();
          failed.accept(lane, failure);
        });
  }

  /** Calls all listeners, even if one of them throws. */
  private void notifyListeners(Firing firing, BiConsumer<SchedulerListener, Firing> call) {
    for (SchedulerListener listener : listeners) {
      try {
        call.accept(listener, firing);
      } catch (RuntimeException | Error e) {
        log.error(
            "a listener of schedule entry {} failed; the scheduler continues",
            firing.entry().name(),
            e);
      }
    }
  }

  /**
   * Makes the calls, on any thread. A failed queue does not prevent calls for others.
   *
   * @param effects receives what each call has changed, to be run on the scheduler's thread
   * @throws BrokerException after all calls, if the server could not be reached
   */
  private void send(List<FireCall> calls, List<Runnable> effects, Instant now) {
    Map<QueueName, BrokerException> failures = new HashMap<>();
    BrokerException outage = null;
    int outages = 0;
    for (FireCall call : calls) {
      BrokerException failure = outages == MAX_OUTAGES ? outage : failures.get(call.queue());
      if (failure == null) {
        try {
          List<@Nullable EnqueueReply> answers =
              ledger.fire(call.queue(), call.fires().stream().map(PendingFire::inLedger).toList());
          effects.add(() -> answered(call, answers, now));
          continue;
        } catch (BrokerException e) {
          failure = e;
          failures.put(call.queue(), e);
          if (e instanceof BrokerUnavailableException) {
            outage = e;
            outages++;
          }
        }
      }
      BrokerException reason = failure;
      effects.add(() -> failed(call, reason, now));
    }
    if (outage != null) {
      throw outage;
    }
  }

  private void answered(FireCall call, List<@Nullable EnqueueReply> answers, Instant now) {
    if (refused.remove(call.queue())) {
      log.info("Redis accepts calls for the schedule entries of queue {} again", call.queue());
    }
    for (int i = 0; i < call.fires().size(); i++) {
      PendingFire fire = call.fires().get(i);
      DueEntry entry = fire.entry();
      EnqueueReply answer = answers.get(i);
      if (answer == null) {
        entry.outdated();
        continue;
      }
      entry.state(
          fire.firing().requested()
              ? entry.state().withoutRequest()
              : entry.state().fired(fire.firing().instant()));
      report(fire, answer, now);
    }
  }

  private void failed(FireCall call, BrokerException failure, Instant now) {
    reportFailure(call.fires(), failure);
    if (failure instanceof BrokerUnavailableException) {
      return;
    }
    call.fires().forEach(fire -> fire.entry().restUntil(now.plus(AFTER_REFUSAL)));
    if (refused.add(call.queue())) {
      log.warn(
          "Redis refuses calls for the schedule entries of queue {}; the scheduler retries: {}",
          call.queue(),
          failure.getMessage());
    }
  }

  private void report(PendingFire fire, EnqueueReply answer, Instant now) {
    Firing firing = fire.firing();
    QueueName queue = fire.entry().queue();
    RuntimeException error =
        switch (answer.status()) {
          case ENQUEUED, UNCONFIRMED -> null;
          case DUPLICATE ->
              new DuplicateTaskException(queue, firing.entry().task().type(), answer.holder());
          case ID_CONFLICT -> new TaskIdConflictException(queue, firing.taskId());
          case FAILED -> Objects.requireNonNull(answer.failure());
        };
    if (error == null) {
      history.add(firing, now);
      notifyListeners(firing, SchedulerListener::enqueued);
    } else {
      log.warn(
          "schedule entry {} has not enqueued its task for {}: {}",
          firing.entry().name(),
          firing.instant(),
          error.getMessage());
      notifyListeners(firing, (listener, failed) -> listener.failed(failed, error));
    }
  }

  /** Reports firings that failed, or could not even be tried, once per instant. */
  void reportFailure(List<PendingFire> fires, BrokerException error) {
    for (PendingFire fire : fires) {
      Instant instant = fire.firing().instant();
      boolean isFired = !instant.isAfter(fire.entry().state().decided());
      if (!fire.firing().requested() && !isFired && fire.entry().isNewFailure(instant)) {
        notifyListeners(fire.firing(), (listener, failed) -> listener.failed(failed, error));
      }
    }
  }
}
