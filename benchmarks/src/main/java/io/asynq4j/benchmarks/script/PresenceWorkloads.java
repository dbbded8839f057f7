package io.asynq4j.benchmarks.script;

import io.asynq4j.Payload;
import io.asynq4j.internal.broker.NewTask;
import io.asynq4j.internal.broker.Presence.SchedulerEntry;
import io.asynq4j.internal.broker.Presence.SchedulerEvent;
import io.asynq4j.internal.broker.Presence.Server;
import io.asynq4j.internal.broker.Presence.Worker;
import io.asynq4j.internal.broker.ScheduleLedger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Presence of servers and schedulers, semaphores, and firing of schedule entries. */
final class PresenceWorkloads extends WorkloadGroup {

  PresenceWorkloads(TaskPreparer preparer) {
    super(preparer);
    addPresence();
    addSchedules();
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
        WorkloadGroup::nothing,
        batch -> broker.presence().show(server, Collections.nCopies(batch, worker), ttl));
    many(
        "scheduler_entries",
        WorkloadGroup::nothing,
        batch ->
            broker.presence().showEntries("scheduler", Collections.nCopies(batch, entry), ttl));
    single(
        "scheduler_event",
        WorkloadGroup::nothing,
        batch ->
            broker
                .presence()
                .recordEvent("entry", new SchedulerEvent(UUID.randomUUID().toString(), now)));
    single(
        "live",
        (calls, batch) -> broker.presence().show(server, List.of(), TaskPreparer.LONG),
        batch -> broker.presence().seen(broken -> {}));
    single(
        "acquire",
        WorkloadGroup::nothing,
        batch ->
            broker
                .semaphores()
                .acquire("scope", 100, UUID.randomUUID().toString(), now.plus(TaskPreparer.LONG)));
  }

  private void addSchedules() {
    ScheduleLedger.Entry entry = new ScheduleLedger.Entry("entry", queue, "@every 1s");
    many(
        "enroll",
        WorkloadGroup::nothing,
        inCalls(part -> broker.schedules().enroll(Collections.nCopies(part, entry))));
    PreparedItems<NewTask> prepared = new PreparedItems<>();
    AtomicLong decided = new AtomicLong();
    many(
        "fire",
        (calls, batch) -> {
          prepared.fillTo(calls * batch, count -> preparer.tasks(count, options -> options));
          ScheduleLedger.State state =
              broker.schedules().enroll(List.of(entry)).values().iterator().next();
          decided.set(state.decided().toEpochMilli());
        },
        inCalls(
            part -> {
              List<ScheduleLedger.Firing> firings = new ArrayList<>(part);
              for (NewTask task : prepared.take(part)) {
                Instant before = Instant.ofEpochMilli(decided.getAndIncrement());
                firings.add(
                    new ScheduleLedger.Firing(entry.name(), before, before.plusMillis(1), task));
              }
              TaskPreparer.require(broker.schedules().fire(queue, firings));
            }));
  }
}
