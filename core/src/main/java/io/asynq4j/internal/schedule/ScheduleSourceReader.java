package io.asynq4j.internal.schedule;

import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.schedule.ScheduleSource;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a source for its entries. On a thread of its own: a source may take its time, and entries
 * must fire meanwhile.
 */
final class ScheduleSourceReader {

  private static final Logger log = LoggerFactory.getLogger(ScheduleSourceReader.class);

  /** After a failure it is asked again sooner than usual. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final ScheduleSource source;
  private final Duration interval;
  private final ScheduleEntryRegistry entries;
  private final Runnable changed;

  ScheduleSourceReader(
      ScheduleSource source, Duration interval, ScheduleEntryRegistry entries, Runnable changed) {
    this.source = source;
    this.interval = interval;
    this.entries = entries;
    this.changed = changed;
  }

  /** Asks once. Returns how long until it is to be asked again. */
  Duration read() throws InterruptedException {
    try {
      entries.replaceSourced(List.copyOf(source.entries()));
      changed.run();
      return interval;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | Error e) {
      SafeLog.error(
          log, "the source of schedule entries failed; those that it had before go on", e);
      return interval.compareTo(SOON) < 0 ? interval : SOON;
    }
  }
}
