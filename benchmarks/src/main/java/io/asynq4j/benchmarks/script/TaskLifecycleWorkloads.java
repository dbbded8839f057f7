package io.asynq4j.benchmarks.script;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskOptions;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Enqueueing, claiming and settling. */
final class TaskLifecycleWorkloads extends WorkloadGroup {

  private final ArchiveRules fullArchive;

  /** Claims that any workload may use, and leaves for the next. */
  private final PreparedItems<Claim> running = new PreparedItems<>();

  TaskLifecycleWorkloads(TaskPreparer preparer, ArchiveRules fullArchive) {
    super(preparer);
    this.fullArchive = fullArchive;
    addEnqueues();
    addClaims();
    addSettlements();
  }

  private void addEnqueues() {
    enqueue("enqueue", options -> options);
    enqueue("enqueue, unique", options -> options.uniqueFor(TaskPreparer.LONG));
    enqueue("schedule", options -> options.processIn(TaskPreparer.LONG));
    enqueue("group", options -> options.group("enqueued"));
  }

  private void enqueue(String name, UnaryOperator<TaskOptions.Builder> options) {
    PreparedItems<NewTask> prepared = new PreparedItems<>();
    many(
        name,
        (calls, batch) -> prepared.fillTo(calls * batch, count -> preparer.tasks(count, options)),
        batch -> TaskPreparer.require(broker.enqueueing().enqueue(prepared.take(batch))));
  }

  private void addClaims() {
    many(
        "claim",
        (calls, batch) -> preparer.pending(calls * batch),
        inCalls(part -> running.putBack(preparer.claim(part, TaskPreparer.LONG))));
    claimed(
        "extend",
        claims -> {
          if (broker.leases().extend(queue, claims, TaskPreparer.LONG).contains(null)) {
            throw new IllegalStateException("a lease is lost");
          }
          running.putBack(claims);
        });
    claimed(
        "restore",
        claims -> {
          List<LeaseOperations.LeaseRef> leases =
              claims.stream().map(c -> new LeaseOperations.LeaseRef(c.id(), c.token())).toList();
          if (broker.leases().restore(queue, leases).contains(Optional.empty())) {
            throw new IllegalStateException("a lease is lost");
          }
          running.putBack(claims);
        });
    single(
        "cancel",
        (calls, batch) -> running.fillTo(1, count -> preparer.active(count, TaskPreparer.LONG)),
        batch -> {
          List<Claim> claim = running.take(1);
          broker.actions().markCancelled(queue, claim.get(0).id(), AfterCancel.ARCHIVE);
          running.putBack(claim);
        });
    claimed(
        "write_result",
        claims -> {
          List<LeaseOperations.Step> steps =
              claims.stream()
                  .map(c -> new LeaseOperations.Step(c, new Progress(50, "half")))
                  .toList();
          if (broker.leases().write(queue, steps).contains(false)) {
            throw new IllegalStateException("a lease is lost");
          }
          running.putBack(claims);
        });
  }

  private void claimed(String name, Consumer<List<Claim>> action) {
    claimed(name, running, options -> options, action);
  }

  private void claimed(
      String name,
      PreparedItems<Claim> prepared,
      UnaryOperator<TaskOptions.Builder> options,
      Consumer<List<Claim>> action) {
    many(
        name,
        (calls, batch) ->
            prepared.fillTo(
                calls * batch, count -> preparer.active(count, TaskPreparer.LONG, options)),
        batch -> action.accept(prepared.take(batch)));
  }

  private void addSettlements() {
    Payload result = Payload.ofUtf8("a result");
    Duration delay = Duration.ofMinutes(10);
    claimed("complete", preparer::complete);
    claimed(
        "complete, kept with a result",
        new PreparedItems<>(),
        options -> options.retention(TaskPreparer.LONG),
        settle(claim -> new Settlement.Complete(claim, result), TaskPreparer.KEEP_ALL));
    claimed(
        "complete, unique",
        new PreparedItems<>(),
        options -> options.uniqueFor(TaskPreparer.LONG),
        settle(claim -> new Settlement.Complete(claim, Payload.absent()), TaskPreparer.KEEP_ALL));
    claimed(
        "retry",
        settle(
            claim -> new Settlement.Retry(claim, delay, "it failed", true, false),
            TaskPreparer.KEEP_ALL));
    claimed(
        "archive",
        settle(
            claim -> new Settlement.Archive(claim, "it failed permanently"),
            TaskPreparer.KEEP_ALL));
    claimed(
        "archive, full: as many are trimmed",
        settle(claim -> new Settlement.Archive(claim, "it failed permanently"), fullArchive));
    claimed(
        "reschedule",
        settle(claim -> new Settlement.Reschedule(claim, delay, false), TaskPreparer.KEEP_ALL));
    claimed("requeue", settle(Settlement.Requeue::new, TaskPreparer.KEEP_ALL));
  }

  private Consumer<List<Claim>> settle(Function<Claim, Settlement> settlement, ArchiveRules rules) {
    return claims -> preparer.settle(claims.stream().map(settlement).toList(), rules);
  }
}
