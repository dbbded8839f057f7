package io.asynq4j.internal.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.DuplicateTaskException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskIdConflictException;
import io.asynq4j.internal.broker.EnqueueReply;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.schedule.LaneExecutor.CallResult;
import io.asynq4j.internal.schedule.LaneExecutor.Lane;
import io.asynq4j.internal.schedule.LaneExecutor.Purpose;
import io.asynq4j.schedule.ScheduleEntry;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues due tasks, notifies the listeners, and records the tasks in the history. Used by one
 * thread.
 */
public final class FireDispatcher {

  private static final Logger log = LoggerFactory.getLogger(FireDispatcher.class);

  /** Maximum payload bytes per call, except for the last task. */
  private static final long MAX_BYTES = 1 << 20;

  /** Number of failed queues after which the Redis server counts as unavailable. */
  private static final int MAX_OUTAGES = 3;

  /** How long the entries of a queue wait after Redis has refused a call. */
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

  private final ScheduleLedger ledger;
  private final LaneExecutor lanes;
  private final ScheduleHistoryWriter history;
  private final SchedulerListener listener;
  private final @Nullable String instantHeader;
  private final Set<QueueName> refused = new HashSet<>();

  public FireDispatcher(
      ScheduleLedger ledger,
      LaneExecutor lanes,
      ScheduleHistoryWriter history,
      SchedulerListener listener,
      @Nullable String instantHeader) {
    this.ledger = ledger;
    this.lanes = lanes;
    this.history = history;
    this.listener = listener;
    this.instantHeader = instantHeader;
  }

  /** One firing and its entry. */
  private record PendingFire(DueEntry slot, Firing firing, ScheduleLedger.Firing inLedger) {}

  /** The firings of one queue that one call carries. */
  private record FireCall(QueueName queue, List<PendingFire> fires) {}

  /**
   * @param answers empty if the call failed
   */
  private record FireResult(
      FireCall call, List<@Nullable EnqueueReply> answers, @Nullable BrokerException failure) {}

  /**
   * Fires due entries and runs requested by operators. Entries that have advanced beyond the known
   * state, or were changed by an operator, are marked as outdated.
   *
   * @param failed called when a server cannot be reached, with the lane of its entries
   */
  void fire(
      Map<DueEntry, List<Instant>> due,
      Map<DueEntry, Instant> requests,
      Instant now,
      BiConsumer<Lane, Throwable> failed) {
    Map<QueueName, List<PendingFire>> byQueue = new LinkedHashMap<>();
    requests.forEach((slot, request) -> add(byQueue, slot, null, request, now));
    due.forEach(
        (slot, instants) -> {
          Instant decided = slot.state().decided();
          for (Instant instant : instants) {
            add(byQueue, slot, decided, instant, now);
            decided = instant;
          }
        });
    Map<Lane, List<FireCall>> byLane = new LinkedHashMap<>();
    byQueue.forEach(
        (queue, fires) ->
            byLane
                .computeIfAbsent(lanes.of(Purpose.ENTRIES, queue), any -> new ArrayList<>())
                .addAll(calls(queue, fires)));
    byLane.forEach(
        (lane, calls) -> {
          if (lanes.isSharded()) {
            fireElsewhere(lane, calls, now, failed);
          } else {
            fireHere(lane, calls, now, failed);
          }
        });
  }

  private void fireHere(
      Lane lane, List<FireCall> calls, Instant now, BiConsumer<Lane, Throwable> failed) {
    List<Firing> enqueued = new ArrayList<>();
    lanes.runPartly(
        lane,
        () ->
            new CallResult<>(
                enqueued, send(calls, this::announce, result -> apply(result, now, enqueued))),
        all -> history.add(all, now),
        failure -> failed.accept(lane, failure));
  }

  /** Fires on another thread. Listeners are called on this one, before and after all calls. */
  private void fireElsewhere(
      Lane lane, List<FireCall> calls, Instant now, BiConsumer<Lane, Throwable> failed) {
    if (!lanes.isFree(lane)) {
      return;
    }
    calls.forEach(this::announce);
    underWay(calls, true);
    lanes.runPartly(
        lane,
        () -> {
          List<FireResult> results = new ArrayList<>();
          BrokerException outage = send(calls, call -> {}, results::add);
          return new CallResult<>(results, outage);
        },
        results -> {
          underWay(calls, false);
          List<Firing> enqueued = new ArrayList<>();
          results.forEach(result -> apply(result, now, enqueued));
          history.add(enqueued, now);
        },
        failure -> {
          underWay(calls, false);
          failed.accept(lane, failure);
        });
  }

  private static void underWay(List<FireCall> calls, boolean isUnderWay) {
    calls.forEach(call -> call.fires().forEach(fire -> fire.slot().underWay(isUnderWay)));
  }

  private void add(
      Map<QueueName, List<PendingFire>> byQueue,
      DueEntry slot,
      @Nullable Instant decided,
      Instant instant,
      Instant now) {
    ScheduleEntry entry = slot.entry();
    NewTask task = slot.newTask(instant, instantHeader, now);
    byQueue
        .computeIfAbsent(DueEntry.queue(entry), queue -> new ArrayList<>())
        .add(
            new PendingFire(
                slot,
                new Firing(entry, instant, decided == null, task.message().id()),
                new ScheduleLedger.Firing(entry.name(), decided, instant, task)));
  }

  /** Groups the firings into calls of maximum size. */
  private static List<FireCall> calls(QueueName queue, List<PendingFire> fires) {
    List<FireCall> calls = new ArrayList<>();
    List<PendingFire> some = new ArrayList<>();
    long bytes = 0;
    for (PendingFire fire : fires) {
      if (some.size() == ScheduleLedger.MOST_FIRINGS || bytes >= MAX_BYTES) {
        calls.add(new FireCall(queue, some));
        some = new ArrayList<>();
        bytes = 0;
      }
      some.add(fire);
      bytes += fire.inLedger().task().message().payload().size();
    }
    calls.add(new FireCall(queue, some));
    return calls;
  }

  private void announce(FireCall call) {
    call.fires().forEach(fire -> listener.beforeEnqueue(fire.firing()));
  }

  /**
   * Makes the calls, on any thread. A failed queue does not prevent calls for others.
   *
   * @return why the server could not be reached; null if it could
   */
  private @Nullable BrokerException send(
      List<FireCall> calls, Consumer<FireCall> before, Consumer<FireResult> after) {
    Map<QueueName, BrokerException> failures = new HashMap<>();
    BrokerException outage = null;
    int outages = 0;
    for (FireCall call : calls) {
      BrokerException failure = outages == MAX_OUTAGES ? outage : failures.get(call.queue());
      List<@Nullable EnqueueReply> answers = List.of();
      if (failure == null) {
        before.accept(call);
        try {
          answers =
              ledger.fire(call.queue(), call.fires().stream().map(PendingFire::inLedger).toList());
        } catch (BrokerException e) {
          failure = e;
          failures.put(call.queue(), e);
          if (e instanceof BrokerUnavailableException) {
            outage = e;
            outages++;
          }
        }
      }
      after.accept(new FireResult(call, answers, failure));
    }
    return outage;
  }

  private void apply(FireResult result, Instant now, List<Firing> enqueued) {
    List<PendingFire> fires = result.call().fires();
    if (result.failure() != null) {
      failed(result.call(), result.failure(), now);
      return;
    }
    if (refused.remove(result.call().queue())) {
      log.info(
          "Redis accepts calls for the schedule entries of queue {} again", result.call().queue());
    }
    for (int i = 0; i < fires.size(); i++) {
      PendingFire fire = fires.get(i);
      DueEntry slot = fire.slot();
      EnqueueReply answer = result.answers().get(i);
      if (answer == null) {
        slot.outdated();
        continue;
      }
      if (fire.firing().requested()) {
        slot.state(slot.state().withoutRequest());
      } else {
        slot.state(slot.state().fired(fire.firing().instant()));
      }
      report(fire.firing(), answer, enqueued);
    }
  }

  private void failed(FireCall call, BrokerException failure, Instant now) {
    reportFailure(call.fires(), failure);
    if (failure instanceof BrokerUnavailableException) {
      return;
    }
    call.fires().forEach(fire -> fire.slot().restUntil(now.plus(AFTER_REFUSAL)));
    if (refused.add(call.queue())) {
      log.warn(
          "Redis refuses calls for the schedule entries of queue {}; the scheduler retries: {}",
          call.queue(),
          failure.getMessage());
    }
  }

  private void report(Firing firing, EnqueueReply answer, List<Firing> enqueued) {
    ScheduleEntry entry = firing.entry();
    RuntimeException error =
        switch (answer.verdict()) {
          case ENQUEUED, UNCONFIRMED -> null;
          case DUPLICATE ->
              new DuplicateTaskException(
                  DueEntry.queue(entry), entry.task().type(), answer.holder());
          case ID_CONFLICT -> new TaskIdConflictException(DueEntry.queue(entry), firing.taskId());
          case FAILED -> Objects.requireNonNull(answer.failure());
        };
    if (error == null) {
      enqueued.add(firing);
      listener.enqueued(firing);
    } else {
      log.warn(
          "schedule entry {} has not enqueued its task for {}: {}",
          entry.name(),
          firing.instant(),
          error.getMessage());
      listener.failed(firing, error);
    }
  }

  /** Reports firings that failed, once per instant. */
  private void reportFailure(List<PendingFire> fires, BrokerException error) {
    for (PendingFire fire : fires) {
      Instant instant = fire.firing().instant();
      boolean isFired = !instant.isAfter(fire.slot().state().decided());
      if (!fire.firing().requested() && !isFired && fire.slot().isNewFailure(instant)) {
        listener.failed(fire.firing(), error);
      }
    }
  }

  /** Reports due firings that could not even be tried. */
  void reportFailure(Map<DueEntry, List<Instant>> due, BrokerException error, Instant now) {
    Map<QueueName, List<PendingFire>> byQueue = new LinkedHashMap<>();
    due.forEach(
        (slot, instants) ->
            instants.forEach(instant -> add(byQueue, slot, slot.state().decided(), instant, now)));
    byQueue.values().forEach(fires -> reportFailure(fires, error));
  }
}
