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
import io.asynq4j.internal.broker.inspect.TaskInspection;
import io.asynq4j.internal.broker.inspect.TaskInspection.Listing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Determines why a task does not run. Used once, by one thread. */
public final class TaskExplainer {

  /**
   * Tolerance: Redis makes tasks pending by its clock, which differs slightly from the one here.
   */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final Broker broker;
  private final QueueName queue;
  private final TaskInfo task;
  private final Instant now;
  private final List<Reason> reasons = new ArrayList<>();

  public TaskExplainer(Broker broker, QueueName queue, String id) {
    this.broker = broker;
    this.queue = queue;
    this.task = broker.tasks().task(queue, id);
    this.now = broker.clock().instant();
  }

  public Explanation explain() {
    switch (task.state()) {
      case PENDING -> pending();
      case SCHEDULED, RETRY -> waiting();
      case ACTIVE -> active();
      case AGGREGATING -> inGroup();
      case ARCHIVED -> reasons.add(new Reason.Archived(task.since(), task.lastError()));
      case COMPLETED -> reasons.add(new Reason.Completed(task.completedAt()));
    }
    return new Explanation(task, reasons);
  }

  private void pending() {
    broker.queues().pausedSince(queue).map(Reason.QueuePaused::new).ifPresent(reasons::add);
    noServer();
    limit();
    long ahead = broker.tasks().ahead(queue, task.id());
    rate(Math.max(0, ahead));
    holder(ahead);
    if (ahead > 0) {
      reasons.add(new Reason.Behind(ahead, ahead >= TaskInspection.AHEAD_AT_MOST));
    }
    busy();
  }

  private void limit() {
    QueueLimits limits = broker.queueControl().limits(queue);
    long active = broker.tasks().list(queue, Listing.first(TaskState.ACTIVE, 1)).total();
    int most = limits.ordered().orElse(false) ? 1 : limits.maxActive().orElse(0);
    if (most > 0 && active >= most) {
      reasons.add(new Reason.LimitReached(most, active));
    }
  }

  private void rate(long ahead) {
    broker
        .queueControl()
        .pace(queue)
        .filter(pace -> pace.tokens() < ahead + 1)
        .map(pace -> new Reason.RateReached(pace.rate(), pace.whenEnoughFor(ahead + 1)))
        .ifPresent(reasons::add);
  }

  /** Adds the task at the head of an ordered queue, which may be this one, as the reason. */
  private void holder(long ahead) {
    List<TaskInfo> head =
        ahead == 0
            ? List.of(task)
            : broker.tasks().list(queue, Listing.first(TaskState.PENDING, 1)).tasks();
    for (TaskInfo first : head) {
      Instant until = first.nextProcessAt();
      if (until != null && until.isAfter(now.plus(MOMENT))) {
        reasons.add(new Reason.QueueBlocked(first.id(), until));
      }
    }
  }

  private void waiting() {
    Instant due = task.nextProcessAt();
    if (due != null && due.isAfter(now)) {
      reasons.add(new Reason.NotDue(due, Duration.between(now, due)));
    } else {
      reasons.add(new Reason.NotForwarded(due == null ? now : due));
      noServer();
    }
    if (task.lastError().equals("handler not found for task \"" + task.type() + "\"")) {
      reasons.add(new Reason.NoHandler(task.type()));
    } else if (task.state() == TaskState.RETRY) {
      reasons.add(
          new Reason.AttemptFailed(
              task.lastError(), task.lastFailedAt(), task.retried(), task.maxRetry()));
    }
  }

  private void active() {
    for (ServerSnapshot server : servers()) {
      for (WorkerSnapshot worker : server.workers()) {
        if (worker.taskId().equals(task.id()) && worker.queue().equals(queue.value())) {
          reasons.add(new Reason.Running(server, worker));
        }
      }
    }
    if (task.orphaned()) {
      reasons.add(new Reason.Orphaned());
      noServer();
    } else if (reasons.isEmpty()) {
      reasons.add(new Reason.HeldUnseen());
    }
  }

  private void inGroup() {
    long size = broker.queues().groupSizes(queue).getOrDefault(task.group(), 0L);
    reasons.add(new Reason.InGroup(task.group(), size, task.since()));
  }

  private List<ServerSnapshot> servers() {
    return new ServerFleet(broker).servers();
  }

  private void noServer() {
    List<ServerSnapshot> servers = servers();
    if (servers.stream().noneMatch(server -> server.serves(queue))) {
      reasons.add(new Reason.NoServer(servers.size()));
    }
  }

  private void busy() {
    List<ServerSnapshot> serving =
        servers().stream().filter(server -> server.serves(queue)).toList();
    int workers = serving.stream().mapToInt(ServerSnapshot::concurrency).sum();
    if (workers > 0
        && serving.stream().allMatch(server -> server.activeWorkers() >= server.concurrency())) {
      reasons.add(new Reason.WorkersBusy(serving.size(), workers));
    }
  }
}
