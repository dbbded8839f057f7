package io.asynq4j.spring.internal;

import io.asynq4j.Task;
import io.asynq4j.TaskType;
import io.asynq4j.internal.text.DurationFormat;
import io.asynq4j.schedule.MissedPolicy;
import io.asynq4j.schedule.Schedule;
import io.asynq4j.schedule.ScheduleEntry;
import io.asynq4j.spring.ScheduledTask;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Optional;

/** Makes schedule entries of annotations. */
final class ScheduleDeclarations {

  private final OptionReader options;
  private final ProblemList problems;

  ScheduleDeclarations(OptionReader options, ProblemList problems) {
    this.options = options;
    this.problems = problems;
  }

  /** Returns the entry of a method; empty if it is disabled, or after adding its problems. */
  Optional<ScheduleEntry> of(String where, ScheduledTask annotation, TaskType<?> type) {
    return schedule(where, annotation)
        .flatMap(
            schedule ->
                missed(where, annotation)
                    .map(
                        missed ->
                            ScheduleEntry.of(
                                    type.name(), schedule, Task.of(type.name()), type.options())
                                .missed(missed)));
  }

  private Optional<Schedule> schedule(String where, ScheduledTask annotation) {
    if (annotation.cron().isEmpty() == annotation.every().isEmpty()) {
      problems.add(
          where,
          annotation.cron().isEmpty()
              ? "@ScheduledTask has no schedule: set cron = \"0 3 * * *\" or every = \"15m\""
              : "@ScheduledTask has both cron = \"%s\" and every = \"%s\": set one of them"
                  .formatted(annotation.cron(), annotation.every()));
      return Optional.empty();
    }
    boolean isCron = annotation.every().isEmpty();
    String text =
        isCron
            ? options.required(where, "cron", annotation.cron())
            : options.required(where, "every", annotation.every());
    String zone = options.text(where, "zone", annotation.zone());
    if (text.isEmpty() || text.equals(ScheduledTask.DISABLED)) {
      return Optional.empty();
    }
    return isCron ? cron(where, text, zone) : every(where, text, zone);
  }

  private Optional<Schedule> cron(String where, String cron, String zone) {
    Optional<ZoneId> zoneId = zone(where, zone);
    if (!zone.isEmpty() && zoneId.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          zoneId.map(id -> Schedule.cron(cron, id)).orElseGet(() -> Schedule.cron(cron)));
    } catch (IllegalArgumentException e) {
      String hint =
          cron.split("\\s+", -1).length == 6
              ? ": remove the seconds, which only Spring's @Scheduled has"
              : "";
      problems.add(where, "cron = \"%s\": %s%s".formatted(cron, e.getMessage(), hint));
      return Optional.empty();
    }
  }

  private Optional<ZoneId> zone(String where, String zone) {
    try {
      return zone.isEmpty() ? Optional.empty() : Optional.of(ZoneId.of(zone));
    } catch (DateTimeException e) {
      problems.add(
          where,
          "zone = \"%s\" is not a time zone: write a name such as Europe/Oslo, or UTC"
              .formatted(zone));
      return Optional.empty();
    }
  }

  private Optional<Schedule> every(String where, String every, String zone) {
    if (!zone.isEmpty()) {
      problems.add(
          where,
          "zone = \"%s\" has no effect on every = \"%s\": remove it, or use cron"
              .formatted(zone, every));
      return Optional.empty();
    }
    try {
      return Optional.of(Schedule.every(DurationFormat.parse(every)));
    } catch (IllegalArgumentException e) {
      problems.add(where, "every = \"%s\": %s".formatted(every, e.getMessage()));
      return Optional.empty();
    }
  }

  private Optional<MissedPolicy> missed(String where, ScheduledTask annotation) {
    try {
      return Optional.of(
          switch (annotation.missed()) {
            case SKIP -> MissedPolicy.skip();
            case RUN_ONCE -> MissedPolicy.runOnce();
            case RUN_ALL -> MissedPolicy.runAll(annotation.mostMissed());
          });
    } catch (IllegalArgumentException e) {
      problems.add(where, "mostMissed = %d: %s".formatted(annotation.mostMissed(), e.getMessage()));
      return Optional.empty();
    }
  }
}
