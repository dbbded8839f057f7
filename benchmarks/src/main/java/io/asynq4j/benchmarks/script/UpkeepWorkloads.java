package io.asynq4j.benchmarks.script;

import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.inspect.Diagnostics;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Background duties of servers, and checks of the doctor. */
final class UpkeepWorkloads extends WorkloadGroup {

  /**
   * @param otherQueues creates tasks in further queues
   */
  UpkeepWorkloads(
      TaskPreparer preparer, ArchiveRules fullArchive, Supplier<TaskPreparer> otherQueues) {
    super(preparer);
    addUpkeep(fullArchive);
    addRepairs(otherQueues.get(), otherQueues.get());
    addDiagnostics();
  }

  private void addUpkeep(ArchiveRules fullArchive) {
    many(
        "forward",
        (calls, batch) -> preparer.due(calls * batch),
        inCalls(part -> expect(part, broker.upkeep().forward(queue, part).moved())));
    many(
        "expired + recover",
        (calls, batch) -> {
          List<Claim> claims = preparer.active(calls * batch, TaskPreparer.LONG);
          preparer.makeOverdue("lease", claims.stream().map(Claim::id).toList());
        },
        inCalls(
            part ->
                expect(
                    part,
                    broker
                        .upkeep()
                        .recover(
                            queue, part, CrashRules.DEFAULT, QueueRules.NONE, TaskPreparer.KEEP_ALL)
                        .size())));
    many(
        "expire",
        (calls, batch) -> {
          List<Claim> claims =
              preparer.active(
                  calls * batch,
                  TaskPreparer.LONG,
                  options -> options.retention(TaskPreparer.LONG));
          preparer.complete(claims);
          preparer.makeOverdue("completed", claims.stream().map(Claim::id).toList());
        },
        inCalls(part -> expect(part, broker.upkeep().expire(queue, part))));
    many(
        "trim",
        (calls, batch) -> preparer.archived(calls * batch),
        inCalls(part -> expect(part, broker.upkeep().trim(queue, part, fullArchive))));
  }

  private void addRepairs(TaskPreparer toRepair, TaskPreparer toRelist) {
    PreparedItems<Claim> repaired = new PreparedItems<>();
    many(
        "repair",
        (calls, batch) ->
            repaired.fillTo(batch, count -> toRepair.active(count, TaskPreparer.LONG)),
        batch -> broker.upkeep().repair(toRepair.queue()));
    PreparedItems<Claim> running = new PreparedItems<>();
    many(
        "repair + relist",
        (calls, batch) -> running.fillTo(batch, count -> toRelist.active(count, TaskPreparer.LONG)),
        batch -> {
          toRelist.forgetActive();
          broker.upkeep().repair(toRelist.queue());
        });
    single(
        "list_group",
        (calls, batch) -> preparer.grouped("listed", 1),
        batch -> broker.upkeep().relistGroups(queue));
  }

  private void addDiagnostics() {
    Diagnostics.Norms norms = new Diagnostics.Norms(TaskPreparer.KEEP_ALL, Duration.ofMinutes(1));
    PreparedItems<Subject> tasks = new PreparedItems<>();
    many(
        "examine",
        (calls, batch) -> tasks.fillTo(batch, count -> subjects(preparer.scheduled(count))),
        batch -> {
          List<Subject> subjects = tasks.take(batch);
          broker.diagnostics().examine(subjects, norms, /* closely= */ false);
          tasks.putBack(subjects);
        });
    PreparedItems<Subject> locks = new PreparedItems<>();
    many(
        "tidy",
        (calls, batch) -> locks.fillTo(batch, this::locks),
        batch -> {
          List<Subject> subjects = locks.take(batch);
          broker.diagnostics().examine(subjects, norms, /* closely= */ false);
          locks.putBack(subjects);
        });
  }

  private List<Subject> subjects(List<String> ids) {
    return ids.stream().map(id -> Subject.of(Diagnostics.SubjectKind.TASK, queue, id)).toList();
  }

  private List<Subject> locks(int count) {
    String prefix = preparer.key("unique:");
    return preparer.enqueue(count, options -> options.uniqueFor(TaskPreparer.LONG)).stream()
        .map(id -> broker.tasks().task(queue, id).uniqueKey().substring(prefix.length()))
        .map(lock -> Subject.of(Diagnostics.SubjectKind.LOCK, queue, lock))
        .toList();
  }
}
