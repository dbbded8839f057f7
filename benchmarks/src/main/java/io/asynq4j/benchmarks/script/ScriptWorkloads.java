package io.asynq4j.benchmarks.script;

import io.asynq4j.AfterCancel;
import io.asynq4j.Payload;
import io.asynq4j.QueueName;
import io.asynq4j.TaskInfo.Progress;
import io.asynq4j.TaskOptions;
import io.asynq4j.TaskState;
import io.asynq4j.internal.broker.Aggregation.AggregationSet;
import io.asynq4j.internal.broker.Aggregation.FinishAnswer;
import io.asynq4j.internal.broker.Aggregation.GroupRules;
import io.asynq4j.internal.broker.Broker;
import io.asynq4j.internal.broker.Claim;
import io.asynq4j.internal.broker.Diagnostics;
import io.asynq4j.internal.broker.Diagnostics.Subject;
import io.asynq4j.internal.broker.LeaseOperations;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.OperatorActions;
import io.asynq4j.internal.broker.OperatorActions.ActionAnswer;
import io.asynq4j.internal.broker.OperatorActions.ActionAnswer.Status;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.Presence.SchedulerEvent;
import io.asynq4j.internal.broker.Presence.Server;
import io.asynq4j.internal.broker.Presence.Worker;
import io.asynq4j.internal.broker.ScheduleLedger;
import io.asynq4j.internal.broker.Settlement;
import io.asynq4j.internal.broker.TaskInspection.Listing;
import io.asynq4j.internal.broker.rules.ArchiveRules;
import io.asynq4j.internal.broker.rules.ArchiveRules.WhenFull;
import io.asynq4j.internal.broker.rules.CrashRules;
import io.asynq4j.internal.broker.rules.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Workloads for all scripts, on one queue. */
final class ScriptWorkloads {

  private final TaskPreparer stock;
  private final Supplier<TaskPreparer> otherStocks;
  private final Broker broker;
  private final QueueName queue;
  private final ArchiveRules fullArchive;

  /** Claims that any workload may use, and leaves for the next. */
  private final PreparedItems<Claim> running = new PreparedItems<>();

  private final List<Workload> all = new ArrayList<>();

  /**
   * @param archived number of archived tasks in the queue: the limit of a full archive
   */
  ScriptWorkloads(TaskPreparer stock, int archived, Supplier<TaskPreparer> otherStocks) {
    this.stock = stock;
    this.otherStocks = otherStocks;
    this.broker = stock.broker();
    this.queue = stock.queue();
    this.fullArchive = new ArchiveRules(archived, Duration.ofDays(90), /* releaseLocks= */ false);
    addEnqueues();
    addClaims();
    addSettlements();
    addUpkeep();
    addDiagnostics();
    addAggregation();
    addOperatorActions();
    addLooks();
    addPresence();
    addSchedules();
  }

  List<Workload> all() {
    return List.copyOf(all);
  }

  private void many(String name, Workload.Preparation preparation, Workload.Call call) {
    all.add(new Workload(name, /* many= */ true, preparation, call));
  }

  private void single(String name, Workload.Preparation preparation, Workload.Call call) {
    all.add(new Workload(name, /* many= */ false, preparation, call));
  }

  /** Splits a call that exceeds the limit of a script. */
  private static Workload.Call inCalls(IntConsumer call) {
    return batch -> {
      for (int left = batch; left > 0; left -= TaskPreparer.MAX_BATCH) {
        call.accept(Math.min(left, TaskPreparer.MAX_BATCH));
      }
    };
  }

  private static void nothing(int calls, int batch) {}

  private void addEnqueues() {
    enqueue("enqueue", options -> options);
    enqueue("enqueue, unique", options -> options.uniqueFor(TaskPreparer.LONG));
    enqueue("schedule", options -> options.processIn(TaskPreparer.LONG));
    enqueue("group", options -> options.group("enqueued"));
  }

  private void enqueue(String name, UnaryOperator<TaskOptions.Builder> options) {
    PreparedItems<NewTask> shelf = new PreparedItems<>();
    many(
        name,
        (calls, batch) -> shelf.fillTo(calls * batch, count -> stock.tasks(count, options)),
        batch -> TaskPreparer.require(broker.enqueueing().enqueue(shelf.take(batch))));
  }

  private void addClaims() {
    many(
        "claim",
        (calls, batch) -> stock.pending(calls * batch),
        inCalls(part -> running.putBack(stock.claim(part, TaskPreparer.LONG))));
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
          List<LeaseOperations.LeaseRef> tickets =
              claims.stream().map(c -> new LeaseOperations.LeaseRef(c.id(), c.token())).toList();
          if (broker.leases().restore(queue, tickets).contains(Optional.empty())) {
            throw new IllegalStateException("a lease is lost");
          }
          running.putBack(claims);
        });
    single(
        "cancel",
        (calls, batch) -> running.fillTo(1, count -> stock.active(count, TaskPreparer.LONG)),
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
          if (broker.leases().writeProgress(queue, steps).contains(false)) {
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
      PreparedItems<Claim> shelf,
      UnaryOperator<TaskOptions.Builder> options,
      Consumer<List<Claim>> action) {
    many(
        name,
        (calls, batch) ->
            shelf.fillTo(calls * batch, count -> stock.active(count, TaskPreparer.LONG, options)),
        batch -> action.accept(shelf.take(batch)));
  }

  private void addSettlements() {
    Payload result = Payload.ofUtf8("a result");
    Duration delay = Duration.ofMinutes(10);
    claimed("complete", stock::complete);
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
            claim -> new Settlement.Archive(claim, "it failed for good"), TaskPreparer.KEEP_ALL));
    claimed(
        "archive, full: as many are trimmed",
        settle(claim -> new Settlement.Archive(claim, "it failed for good"), fullArchive));
    claimed(
        "reschedule",
        settle(claim -> new Settlement.Reschedule(claim, delay, false), TaskPreparer.KEEP_ALL));
    claimed("requeue", settle(Settlement.Requeue::new, TaskPreparer.KEEP_ALL));
  }

  private Consumer<List<Claim>> settle(Function<Claim, Settlement> settlement, ArchiveRules rules) {
    return claims -> stock.settle(claims.stream().map(settlement).toList(), rules);
  }

  private void addUpkeep() {
    many(
        "forward",
        (calls, batch) -> stock.due(calls * batch),
        inCalls(part -> expect(part, broker.upkeep().forward(queue, part).moved())));
    many(
        "expired + recover",
        (calls, batch) -> {
          List<Claim> claims = stock.active(calls * batch, TaskPreparer.LONG);
          stock.makeOverdue("lease", claims.stream().map(Claim::id).toList());
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
              stock.active(
                  calls * batch,
                  TaskPreparer.LONG,
                  options -> options.retention(TaskPreparer.LONG));
          stock.complete(claims);
          stock.makeOverdue("completed", claims.stream().map(Claim::id).toList());
        },
        inCalls(part -> expect(part, broker.upkeep().expire(queue, part))));
    many(
        "trim",
        (calls, batch) -> stock.archived(calls * batch),
        inCalls(part -> expect(part, broker.upkeep().trim(queue, part, fullArchive))));
    TaskPreparer toRepair = otherStocks.get();
    PreparedItems<Claim> repaired = new PreparedItems<>();
    many(
        "repair",
        (calls, batch) ->
            repaired.fillTo(batch, count -> toRepair.active(count, TaskPreparer.LONG)),
        batch -> broker.upkeep().repair(toRepair.queue()));
    TaskPreparer toRelist = otherStocks.get();
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
        (calls, batch) -> stock.grouped("listed", 1),
        batch -> broker.upkeep().relistGroups(queue));
  }

  private void addDiagnostics() {
    Diagnostics.Norms norms = new Diagnostics.Norms(TaskPreparer.KEEP_ALL, Duration.ofMinutes(1));
    PreparedItems<Subject> tasks = new PreparedItems<>();
    many(
        "examine",
        (calls, batch) -> tasks.fillTo(batch, count -> subjects(stock.scheduled(count))),
        batch -> {
          List<Subject> looked = tasks.take(batch);
          broker.diagnostics().examine(looked, norms, /* closely= */ false);
          tasks.putBack(looked);
        });
    PreparedItems<Subject> locks = new PreparedItems<>();
    many(
        "tidy",
        (calls, batch) -> locks.fillTo(batch, this::locks),
        batch -> {
          List<Subject> looked = locks.take(batch);
          broker.diagnostics().examine(looked, norms, /* closely= */ false);
          locks.putBack(looked);
        });
  }

  private List<Subject> subjects(List<String> ids) {
    return ids.stream().map(id -> Subject.task(queue, id, Diagnostics.Seen.NOWHERE, "")).toList();
  }

  private List<Subject> locks(int count) {
    String prefix = stock.key("unique:");
    return stock.enqueue(count, options -> options.uniqueFor(TaskPreparer.LONG)).stream()
        .map(id -> broker.tasks().task(queue, id).uniqueKey().substring(prefix.length()))
        .map(lock -> Subject.of(Diagnostics.SubjectKind.LOCK, queue, lock))
        .toList();
  }

  private void addAggregation() {
    // More tasks than fit: they are moved, not renamed.
    many(
        "aggregate",
        (calls, batch) -> stock.grouped("aggregated", calls * batch + 1),
        batch -> aggregate("aggregated", batch));
    PreparedItems<AggregationSet> toRead = new PreparedItems<>();
    many(
        "read_set",
        (calls, batch) -> toRead.fillTo(calls, count -> sets("read", count, batch)),
        batch -> expect(batch, broker.aggregation().read(toRead.take()).messages().size()));
    PreparedItems<AggregationSet> unreadable = new PreparedItems<>();
    single(
        "read_set + quarantine",
        (calls, batch) -> unreadable.fillTo(calls, this::unreadableSets),
        batch -> expect(1, broker.aggregation().read(unreadable.take()).unreadable().size()));
    PreparedItems<AggregationSet> toFinish = new PreparedItems<>();
    many(
        "finish_set",
        (calls, batch) -> toFinish.fillTo(calls, count -> sets("finished", count, batch)),
        batch -> finish(toFinish.take()));
    many(
        "sweep",
        (calls, batch) -> sets("swept", calls, batch).forEach(this::finish),
        inCalls(part -> broker.aggregation().sweep(queue, part)));
    PreparedItems<AggregationSet> toReclaim = new PreparedItems<>();
    many(
        "reclaim",
        (calls, batch) ->
            toReclaim.fillTo(
                calls,
                count -> {
                  List<AggregationSet> sets = sets("reclaimed", count, batch);
                  stock.grouped("reclaimed", 1);
                  return sets;
                }),
        batch -> expect(batch, broker.aggregation().giveBack(toReclaim.take())));
  }

  private AggregationSet aggregate(String group, int size) {
    GroupRules rules =
        new GroupRules(size, Duration.ZERO, Duration.ZERO, GroupRules.DEFAULT_TIMEOUT);
    return broker.aggregation().aggregate(queue, group, rules).orElseThrow();
  }

  private List<AggregationSet> sets(String group, int count, int size) {
    List<AggregationSet> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      stock.grouped(group, size);
      sets.add(aggregate(group, size));
    }
    return sets;
  }

  private List<AggregationSet> unreadableSets(int count) {
    List<AggregationSet> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      stock.grouped("unreadable", 1).forEach(stock::spoil);
      sets.add(aggregate("unreadable", 1));
    }
    return sets;
  }

  private void finish(AggregationSet set) {
    NewTask aggregated = stock.task(options -> options);
    if (broker.aggregation().finish(set, aggregated) != FinishAnswer.DONE) {
      throw new IllegalStateException("the set was not finished");
    }
  }

  private void addOperatorActions() {
    act("run", stock::scheduled, (actions, ids) -> actions.run(queue, ids));
    act("run, archived", stock::archived, (actions, ids) -> actions.run(queue, ids));
    act(
        "archive_waiting",
        stock::scheduled,
        (actions, ids) ->
            actions.archive(queue, ids, TaskPreparer.KEEP_ALL, WhenFull.DROP_OLDEST).answers());
    act(
        "reschedule_waiting",
        stock::scheduled,
        (actions, ids) -> actions.reschedule(queue, ids, Instant.now().plus(TaskPreparer.LONG)));
    act("delete", stock::scheduled, (actions, ids) -> actions.delete(queue, ids));
    PreparedItems<String> shelf = new PreparedItems<>();
    single(
        "task + update",
        (calls, batch) -> shelf.fillTo(calls, stock::scheduled),
        batch ->
            broker
                .taskEdits()
                .updatePayload(
                    queue, shelf.take(), Payload.of(new byte[TaskPreparer.PAYLOAD_BYTES])));
    PreparedItems<String> doomed = new PreparedItems<>();
    single(
        "task + delete, as seen",
        (calls, batch) -> doomed.fillTo(calls, stock::scheduled),
        batch -> broker.taskEdits().deleteIf(queue, doomed.take(), task -> true));
    PreparedItems<QueueName> removable = new PreparedItems<>();
    single(
        "remove_queue",
        (calls, batch) -> removable.fillTo(calls, this::emptyQueues),
        batch -> broker.queueRemoval().remove(removable.take(), /* force= */ false));
  }

  private void act(
      String name,
      Function<Integer, List<String>> prepare,
      BiFunction<OperatorActions, List<String>, List<ActionAnswer>> action) {
    PreparedItems<String> shelf = new PreparedItems<>();
    many(
        name,
        (calls, batch) -> shelf.fillTo(calls * batch, prepare::apply),
        batch -> {
          for (ActionAnswer answer : action.apply(broker.actions(), shelf.take(batch))) {
            if (answer.status() != Status.DONE) {
              throw new IllegalStateException(name + " returned " + answer);
            }
          }
        });
  }

  private List<QueueName> emptyQueues(int count) {
    List<QueueName> queues = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      TaskPreparer other = otherStocks.get();
      other.complete(other.active(1, TaskPreparer.LONG));
      queues.add(other.queue());
    }
    return queues;
  }

  private void addLooks() {
    single(
        "queue_stats",
        (calls, batch) -> stock.pending(1),
        batch -> broker.queues().snapshot(queue));
    single(
        "group_stats",
        (calls, batch) -> stock.grouped("counted", 1),
        batch -> broker.queues().groupSizes(queue));
    single(
        "memory",
        (calls, batch) -> stock.scheduled(100),
        batch -> broker.queues().memoryUsage(queue));
    PreparedItems<String> ids = new PreparedItems<>();
    single(
        "task",
        (calls, batch) -> ids.fillTo(calls, stock::scheduled),
        batch -> broker.tasks().task(queue, ids.take()));
    list("list", size -> 0);
    list("list, from the middle", size -> size / 2);
    many(
        "list, behind a cursor",
        (calls, batch) -> stock.scheduled(3 * batch),
        new Workload.Call() {
          private @Nullable String cursor;

          @Override
          public void run(int batch) {
            Listing page = new Listing(TaskState.SCHEDULED, null, false, 0, batch, cursor);
            cursor = broker.tasks().list(queue, page).cursor();
          }
        });
  }

  private void list(String name, UnaryOperator<Integer> offset) {
    many(
        name,
        (calls, batch) -> stock.scheduled(2 * batch),
        new Workload.Call() {
          private int size;

          @Override
          public void run(int batch) {
            Listing page =
                new Listing(TaskState.SCHEDULED, null, false, offset.apply(size), batch, null);
            size = (int) broker.tasks().list(queue, page).total();
          }
        });
  }

  private void addPresence() {
    Instant now = Instant.now();
    Duration ttl = Duration.ofSeconds(10);
    Server server =
        new Server("host", 1, "server", 200, Map.of("default", 1), false, "active", now, 0, null);
    Worker worker =
        new Worker(
            "host",
            1,
            "server",
            UUID.randomUUID().toString(),
            "benchmark:task",
            Payload.of(new byte[TaskPreparer.PAYLOAD_BYTES]),
            queue,
            now,
            now.plus(TaskPreparer.LONG));
    SchedulerEntry entry =
        new SchedulerEntry(
            UUID.randomUUID().toString(),
            "@every 1m",
            "benchmark:task",
            Payload.of(new byte[TaskPreparer.PAYLOAD_BYTES]),
            List.of(),
            now,
            now);
    many(
        "server_state + register",
        ScriptWorkloads::nothing,
        batch -> broker.presence().show(server, copies(batch, worker), ttl));
    many(
        "scheduler_entries",
        ScriptWorkloads::nothing,
        batch -> broker.presence().showEntries("scheduler", copies(batch, entry), ttl));
    single(
        "scheduler_event",
        ScriptWorkloads::nothing,
        batch ->
            broker
                .presence()
                .recordEvent("entry", new SchedulerEvent(UUID.randomUUID().toString(), now)));
    single(
        "live",
        (calls, batch) -> broker.presence().show(server, List.of(), TaskPreparer.LONG),
        batch -> broker.presence().servers());
    single(
        "acquire",
        ScriptWorkloads::nothing,
        batch ->
            broker
                .semaphores()
                .acquire("scope", 100, UUID.randomUUID().toString(), now.plus(TaskPreparer.LONG)));
  }

  private void addSchedules() {
    ScheduleLedger.Entry entry = new ScheduleLedger.Entry("entry", queue, "@every 1s");
    many(
        "enroll",
        ScriptWorkloads::nothing,
        inCalls(part -> broker.schedules().enroll(copies(part, entry))));
    PreparedItems<NewTask> shelf = new PreparedItems<>();
    AtomicLong decided = new AtomicLong();
    many(
        "fire",
        (calls, batch) -> {
          shelf.fillTo(calls * batch, count -> stock.tasks(count, options -> options));
          broker.schedules().enroll(List.of(entry));
          decided.set(broker.schedules().known(entry.name()).state().decided().toEpochMilli());
        },
        inCalls(
            part -> {
              List<ScheduleLedger.Firing> firings = new ArrayList<>(part);
              for (NewTask task : shelf.take(part)) {
                Instant before = Instant.ofEpochMilli(decided.getAndIncrement());
                firings.add(
                    new ScheduleLedger.Firing(entry.name(), before, before.plusMillis(1), task));
              }
              TaskPreparer.require(broker.schedules().fire(queue, firings));
            }));
  }

  private static <T> List<T> copies(int count, T item) {
    return Collections.nCopies(count, item);
  }

  private static void expect(int wanted, int got) {
    if (got != wanted) {
      throw new IllegalStateException("expected " + wanted + ", got " + got);
    }
  }
}
