package io.asynq4j.internal.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.Explanation;
import io.asynq4j.inspect.QueueLimits;
import io.asynq4j.inspect.Reason;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.TaskInspection;
import io.asynq4j.internal.broker.TaskInspection.Listing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Determines why a task does not run. */
public final class TaskExplainer {

  /**
   * Tolerance: Redis makes tasks pending by its clock, which differs slightly from the one here.
   */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final Broker broker;
  private final ServerFleet fleet;

  public TaskExplainer(Broker broker) {
    this.broker = broker;
    this.fleet = new ServerFleet(broker);
  }

  public Explanation explain(QueueName queue, String id) {
    TaskInfo task = broker.tasks().task(queue, id);
    Instant now = broker.clock().instant();
    List<Reason> reasons =
        switch (task.state()) {
          case PENDING -> pending(task, now);
          case SCHEDULED, RETRY -> waiting(task, now);
          case ACTIVE -> active(task);
          case AGGREGATING -> List.of(inGroup(task));
          case ARCHIVED -> List.of(new Reason.Archived(task.since(), task.lastError()));
          case COMPLETED -> List.of(new Reason.Completed(task.completedAt()));
        };
    return new Explanation(task, reasons);
  }

  private List<Reason> pending(TaskInfo task, Instant now) {
    List<Reason> reasons = new ArrayList<>();
    QueueName queue = task.queue();
    broker
        .queues()
        .pausedSince(queue)
        .ifPresent(since -> reasons.add(new Reason.QueuePaused(since)));
    noServer(queue, reasons);
    limit(queue).ifPresent(reasons::add);
    long ahead = broker.tasks().ahead(queue, task.id());
    rate(queue, Math.max(0, ahead)).ifPresent(reasons::add);
    holder(task, now, ahead).ifPresent(reasons::add);
    if (ahead > 0) {
      reasons.add(new Reason.Behind(ahead, ahead >= TaskInspection.AHEAD_AT_MOST));
    }
    busy(queue, reasons);
    return reasons;
  }

  private Optional<Reason> limit(QueueName queue) {
    QueueLimits limits = broker.queueControl().limits(queue);
    long active = broker.tasks().list(queue, Listing.first(TaskState.ACTIVE, 1)).total();
    int most = limits.ordered().orElse(false) ? 1 : limits.maxActive().orElse(0);
    return most > 0 && active >= most
        ? Optional.of(new Reason.LimitReached(most, active))
        : Optional.empty();
  }

  private Optional<Reason> rate(QueueName queue, long ahead) {
    return broker
        .queueControl()
        .pace(queue)
        .filter(pace -> pace.tokens() < ahead + 1)
        .map(pace -> new Reason.RateReached(pace.rate(), pace.whenEnoughFor(ahead + 1)));
  }

  /** Returns the task at the head of an ordered queue, which may be this one, as the reason. */
  private Optional<Reason> holder(TaskInfo task, Instant now, long ahead) {
    List<TaskInfo> head =
        ahead == 0
            ? List.of(task)
            : broker.tasks().list(task.queue(), Listing.first(TaskState.PENDING, 1)).tasks();
    if (head.isEmpty()) {
      return Optional.empty();
    }
    Instant until = head.get(0).nextProcessAt();
    return until != null && until.isAfter(now.plus(MOMENT))
        ? Optional.of(new Reason.QueueBlocked(head.get(0).id(), until))
        : Optional.empty();
  }

  private List<Reason> waiting(TaskInfo task, Instant now) {
    List<Reason> reasons = new ArrayList<>();
    Instant due = task.nextProcessAt();
    if (due != null && due.isAfter(now)) {
      reasons.add(new Reason.NotDue(due, Duration.between(now, due)));
    } else {
      reasons.add(new Reason.NotForwarded(due == null ? now : due));
      noServer(task.queue(), reasons);
    }
    if (task.lastError().equals("handler not found for task \"" + task.type() + "\"")) {
      reasons.add(new Reason.NoHandler(task.type()));
    } else if (task.state() == TaskState.RETRY) {
      reasons.add(
          new Reason.AttemptFailed(
              task.lastError(), task.lastFailedAt(), task.retried(), task.maxRetry()));
    }
    return reasons;
  }

  private List<Reason> active(TaskInfo task) {
    List<Reason> reasons = new ArrayList<>();
    for (ServerSnapshot server : fleet.servers()) {
      for (WorkerSnapshot worker : server.workers()) {
        if (worker.taskId().equals(task.id()) && worker.queue().equals(task.queue().value())) {
          reasons.add(
              new Reason.Running(
                  server.id(), server.host(), server.pid(), worker.started(), worker.deadline()));
        }
      }
    }
    if (task.orphaned()) {
      reasons.add(new Reason.Orphaned());
      noServer(task.queue(), reasons);
    } else if (reasons.isEmpty()) {
      reasons.add(new Reason.HeldUnseen());
    }
    return reasons;
  }

  private Reason inGroup(TaskInfo task) {
    long size = broker.queues().groupSizes(task.queue()).getOrDefault(task.group(), 0L);
    return new Reason.InGroup(task.group(), size, task.since());
  }

  private void noServer(QueueName queue, List<Reason> reasons) {
    List<ServerSnapshot> servers = fleet.servers();
    if (servers.stream().noneMatch(server -> server.serves(queue))) {
      reasons.add(new Reason.NoServer(servers.size()));
    }
  }

  private void busy(QueueName queue, List<Reason> reasons) {
    List<ServerSnapshot> serving =
        fleet.servers().stream().filter(server -> server.serves(queue)).toList();
    int workers = serving.stream().mapToInt(ServerSnapshot::concurrency).sum();
    if (workers > 0
        && serving.stream().allMatch(server -> server.activeWorkers() >= server.concurrency())) {
      reasons.add(new Reason.WorkersBusy(serving.size(), workers));
    }
  }
}
