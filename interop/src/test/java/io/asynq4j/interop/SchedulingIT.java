package io.asynq4j.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.Payload;
import io.asynq4j.Task;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.interop.peer.GoPeer;
import io.asynq4j.interop.peer.GoTask;
import io.asynq4j.interop.peer.WorkerProcess;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.schedule.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Schedule entries and their enqueued tasks, as both inspectors show them. */
@ForEachSetup
class SchedulingIT extends InteropTestBase {

  /** With a day of one digit, which Go pads. */
  private static final Instant AT = Instant.parse("2069-01-05T06:07:08Z");

  private static final Instant DEADLINE = Instant.parse("2069-11-22T23:00:00Z");

  /** Values of an entry that both sides show; times in seconds. */
  private record Shown(
      String id, String spec, String type, String payload, long next, long previous) {

    static Shown of(ScheduleSnapshot ours) {
      return new Shown(
          ours.id(),
          ours.spec(),
          ours.taskType(),
          Base64.getEncoder().encodeToString(ours.taskPayload().bytes()),
          seconds(ours.next()),
          seconds(ours.previous()));
    }

    static Shown of(JsonNode go) {
      return new Shown(
          go.get("id").asString(),
          go.get("spec").asString(),
          go.get("type").asString(),
          go.get("payload").isNull() ? "" : go.get("payload").asString(),
          go.get("next").asLong(),
          go.get("previous").asLong());
    }

    private static long seconds(@Nullable Instant instant) {
      return instant == null ? 0 : instant.getEpochSecond();
    }
  }

  @Test
  void goSeesTheEntriesOfOurSchedulersAndWhatTheyEnqueued() {
    try (Scheduler scheduler =
        Scheduler.builder(redis)
            .heartbeat(Duration.ofSeconds(1))
            .add(
                ScheduleEntry.of(
                        "often", Schedule.of("@every 1s"), Task.of("tick", Payload.ofUtf8("x")))
                    .with(
                        o ->
                            o.queue(Q)
                                .maxRetry(3)
                                .timeout(Duration.ofMinutes(2))
                                .retention(Duration.ofHours(1))))
            .add(
                ScheduleEntry.of(
                        "nightly",
                        Schedule.cron("0 3 * * *", ZoneId.of("Europe/Oslo")),
                        Task.of("digest"))
                    .with(o -> o.queue(Q).uniqueFor(HOUR).processIn(Duration.ofSeconds(90))))
            .add(
                ScheduleEntry.of("yearly", Schedule.of("0 0 1 1 *"), Task.of("report"))
                    .with(
                        o -> o.queue(Q).id("größe").group(GROUP).processAt(AT).deadline(DEADLINE)))
            .build()) {
      scheduler.start();
      awaitTwoTasks();
      soon(this::assertBothSeeTheSameEntries);

      assertThat(optionsGoSees("often"))
          .containsExactlyInAnyOrder(
              "Queue(\"shared\")", "MaxRetry(3)", "Timeout(2m0s)", "Retention(1h0m0s)");
      assertThat(optionsGoSees("nightly"))
          .containsExactlyInAnyOrder("Queue(\"shared\")", "Unique(1h0m0s)", "ProcessIn(1m30s)");
      // Go writes groups and ids there too, but its inspector does not read them.
      assertThat(optionsGoSees("yearly"))
          .containsExactlyInAnyOrder(
              "Queue(\"shared\")",
              "ProcessAt(Sat Jan  5 06:07:08 UTC 2069)",
              "Deadline(Fri Nov 22 23:00:00 UTC 2069)");
      assertThat(entry("yearly").unreadOptions()).isEmpty();
      assertThat(entry("yearly").options().id()).isEqualTo("größe");
      assertThat(entry("yearly").options().group()).isEqualTo(GROUP);
    }
    assertBothSeeTheSameEvents("often");
  }

  @Test
  void weSeeTheEntriesOfGoSchedulersAndWhatTheyEnqueued() {
    GoTask tick =
        GoTask.of("", "x")
            .type("tick")
            .maxRetry(3)
            .timeout(Duration.ofMinutes(2))
            .retention(HOUR)
            .build();
    GoTask digest =
        GoTask.of("", Payload.absent())
            .type("digest")
            .unique(HOUR)
            .processIn(Duration.ofSeconds(90))
            .build();
    GoTask report = GoTask.of("größe", "x").group(GROUP).processAt(AT).deadline(DEADLINE).build();
    try (WorkerProcess go =
        peer.schedule(
            List.of(
                new GoPeer.Entry("@every 1s", tick),
                new GoPeer.Entry("0 3 * * *", digest),
                new GoPeer.Entry("0 0 1 1 *", report)))) {
      List<WorkerProcess.Event> registered = go.events("registered");
      String often = String.valueOf(registered.get(0).id());
      awaitTwoTasks();
      soon(this::assertBothSeeTheSameEntries);

      ScheduleSnapshot ours = entry(often);
      assertThat(ours.unreadOptions()).isEmpty();
      assertThat(String.valueOf(ours.options().queue())).isEqualTo(Q);
      assertThat(ours.options().maxRetry()).isEqualTo(3);
      assertThat(ours.options().timeout()).isEqualTo(Duration.ofMinutes(2));
      assertThat(ours.options().retention()).isEqualTo(HOUR);
      ScheduleSnapshot second = entry(String.valueOf(registered.get(1).id()));
      assertThat(second.options().uniqueFor()).isEqualTo(HOUR);
      assertThat(second.options().processIn()).isEqualTo(Duration.ofSeconds(90));
      ScheduleSnapshot third = entry(String.valueOf(registered.get(2).id()));
      assertThat(third.unreadOptions()).isEmpty();
      assertThat(third.options().id()).isEqualTo("größe");
      assertThat(third.options().group()).isEqualTo(GROUP);
      assertThat(third.options().processAt()).isEqualTo(AT);
      assertThat(third.options().deadline()).isEqualTo(DEADLINE);
      assertThat(ours.isLive()).isTrue();
      assertThat(ours.isRemembered()).isFalse();
      go.kill();
      assertBothSeeTheSameEvents(often);
    }
  }

  private ScheduleSnapshot entry(String id) {
    return inspector.schedules().stream()
        .filter(one -> one.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private void awaitTwoTasks() {
    soon(() -> assertThat(inspector.queues()).contains(Q));
    soon(() -> assertThat(stats().size()).isGreaterThanOrEqualTo(2));
  }

  private void assertBothSeeTheSameEntries() {
    List<Shown> go =
        goSees(JsonNode.class, "schedulers").stream()
            .map(Shown::of)
            .sorted(Comparator.comparing(Shown::id))
            .toList();
    assertThat(go).hasSize(3);
    assertThat(inspector.schedules().stream().map(Shown::of)).containsExactlyElementsOf(go);
  }

  private List<String> optionsGoSees(String id) {
    return goSees(JsonNode.class, "schedulers").stream()
        .filter(entry -> entry.get("id").asString().equals(id))
        .flatMap(entry -> entry.get("options").valueStream().map(JsonNode::asString))
        .toList();
  }

  private void assertBothSeeTheSameEvents(String entry) {
    List<ScheduleEvent> go = new ArrayList<>();
    goSees(JsonNode.class, "events", entry)
        .get(0)
        .forEach(
            event ->
                go.add(
                    new ScheduleEvent(
                        event.get("TaskID").asString(),
                        OffsetDateTime.parse(event.get("EnqueuedAt").asString()).toInstant(),
                        null)));
    assertThat(go).hasSizeGreaterThanOrEqualTo(2);
    assertThat(inspector.scheduleHistory(entry, 0, 100)).isEqualTo(go);
  }
}
