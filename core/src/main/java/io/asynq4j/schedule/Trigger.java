package io.asynq4j.schedule;

import io.asynq4j.BrokerException;
import io.asynq4j.BrokerUnavailableException;
import io.asynq4j.DuplicateTaskException;
import io.asynq4j.QueueName;
import io.asynq4j.TaskIdConflictException;
import io.asynq4j.broker.EnqueueAnswer;
import io.asynq4j.broker.NewTask;
import io.asynq4j.broker.Presence;
import io.asynq4j.broker.Presence.SchedulerEvent;
import io.asynq4j.broker.ScheduleLedger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Enqueues what is due, tells the listeners, and notes it in the history. Used by one thread. */
final class Trigger {

  private static final Logger log = LoggerFactory.getLogger(Trigger.class);

  /** Payloads that one call carries at most, but for the last. */
  private static final long MAX_BYTES = 1 << 20;

  /** Queues that are tried in vain before Redis as a whole counts as away. */
  private static final int MAX_OUTAGES = 3;

  private final ScheduleLedger ledger;
  private final Presence presence;
  private final SchedulerListener listener;
  private final @Nullable String instantHeader;

  Trigger(
      ScheduleLedger ledger,
      Presence presence,
      SchedulerListener listener,
      @Nullable String instantHeader) {
    this.ledger = ledger;
    this.presence = presence;
    this.listener = listener;
    this.instantHeader = instantHeader;
  }

  /** One firing, with where it comes from. */
  private record Shot(Slot slot, Firing firing, ScheduleLedger.Firing inLedger) {}

  /**
   * What came of it.
   *
   * @param stale entries that are further than was believed, or changed by an operator
   * @param outage what went wrong with Redis; null when nothing did
   */
  record Result(List<Slot> stale, @Nullable BrokerException outage) {}

  Result fire(Map<Slot, List<Instant>> due, Map<Slot, Instant> requests, Instant now) {
    Map<QueueName, List<Shot>> shots = new LinkedHashMap<>();
    requests.forEach((slot, request) -> add(shots, slot, null, request, now));
    due.forEach(
        (slot, instants) -> {
          Instant decided = slot.state().decided();
          for (Instant instant : instants) {
            add(shots, slot, decided, instant, now);
            decided = instant;
          }
        });
    List<Slot> stale = new ArrayList<>();
    List<Firing> enqueued = new ArrayList<>();
    BrokerException outage = null;
    int outages = 0;
    for (List<Shot> ofQueue : shots.values()) {
      try {
        for (List<Shot> volley : volleys(ofQueue)) {
          fire(volley, stale, enqueued);
        }
      } catch (BrokerException e) {
        outage = e;
        ofQueue.forEach(shot -> stale.add(shot.slot()));
        tellFailure(ofQueue, e);
        outages += e instanceof BrokerUnavailableException ? 1 : 0;
      }
      if (outages == MAX_OUTAGES) {
        break;
      }
    }
    note(enqueued, now);
    return new Result(stale, outage);
  }

  private void add(
      Map<QueueName, List<Shot>> shots,
      Slot slot,
      @Nullable Instant decided,
      Instant instant,
      Instant now) {
    ScheduleEntry entry = slot.entry();
    NewTask task = entry.newTask(instant, instantHeader, now);
    shots
        .computeIfAbsent(entry.queue(), queue -> new ArrayList<>())
        .add(
            new Shot(
                slot,
                new Firing(entry, instant, decided == null, task.message().id()),
                new ScheduleLedger.Firing(entry.name(), decided, instant, task)));
  }

  /** As many as one call may carry. */
  private static List<List<Shot>> volleys(List<Shot> shots) {
    List<List<Shot>> volleys = new ArrayList<>();
    List<Shot> volley = new ArrayList<>();
    long bytes = 0;
    for (Shot shot : shots) {
      if (volley.size() == ScheduleLedger.MOST_FIRINGS || bytes >= MAX_BYTES) {
        volleys.add(volley);
        volley = new ArrayList<>();
        bytes = 0;
      }
      volley.add(shot);
      bytes += shot.inLedger().task().message().payload().size();
    }
    volleys.add(volley);
    return volleys;
  }

  private void fire(List<Shot> volley, List<Slot> stale, List<Firing> enqueued) {
    volley.forEach(shot -> listener.beforeEnqueue(shot.firing()));
    List<@Nullable EnqueueAnswer> answers =
        ledger.fire(
            volley.get(0).slot().entry().queue(), volley.stream().map(Shot::inLedger).toList());
    for (int i = 0; i < volley.size(); i++) {
      Shot shot = volley.get(i);
      EnqueueAnswer answer = answers.get(i);
      if (answer == null) {
        stale.add(shot.slot());
        continue;
      }
      if (shot.firing().requested()) {
        shot.slot().state(shot.slot().state().withoutRequest());
      } else {
        shot.slot().state(shot.slot().state().fired(shot.firing().instant()));
      }
      tell(shot.firing(), answer, enqueued);
    }
  }

  private void tell(Firing firing, EnqueueAnswer answer, List<Firing> enqueued) {
    ScheduleEntry entry = firing.entry();
    RuntimeException error =
        switch (answer.verdict()) {
          case ENQUEUED, UNCONFIRMED -> null;
          case DUPLICATE ->
              new DuplicateTaskException(entry.queue(), entry.task().type(), answer.holder());
          case ID_CONFLICT -> new TaskIdConflictException(entry.queue(), firing.taskId());
          case FAILED -> Objects.requireNonNull(answer.failure());
        };
    if (error == null) {
      enqueued.add(firing);
      listener.enqueued(firing);
    } else {
      log.warn(
          "entry {} has not enqueued its task for {}: {}",
          entry.name(),
          firing.instant(),
          error.getMessage());
      listener.failed(firing, error);
    }
  }

  /** Tells of what has not been fired, of each instant once. */
  private void tellFailure(List<Shot> shots, BrokerException error) {
    for (Shot shot : shots) {
      Instant instant = shot.firing().instant();
      boolean isFired = !instant.isAfter(shot.slot().state().decided());
      if (!shot.firing().requested() && !isFired && shot.slot().isNewFailure(instant)) {
        listener.failed(shot.firing(), error);
      }
    }
  }

  /** The same for what is due while nothing can even be tried. */
  void tellFailure(Map<Slot, List<Instant>> due, BrokerException error, Instant now) {
    Map<QueueName, List<Shot>> shots = new LinkedHashMap<>();
    due.forEach(
        (slot, instants) ->
            instants.forEach(instant -> add(shots, slot, slot.state().decided(), instant, now)));
    shots.values().forEach(ofQueue -> tellFailure(ofQueue, error));
  }

  private void note(List<Firing> enqueued, Instant now) {
    try {
      for (Firing firing : enqueued) {
        presence.recordEvent(firing.entry().name(), new SchedulerEvent(firing.taskId(), now));
      }
    } catch (BrokerException e) {
      log.warn(
          "some of {} tasks are missing from the history of their entries", enqueued.size(), e);
    }
  }
}
