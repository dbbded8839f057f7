package io.asynq4j.internal.schedule;

import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.schedule.ScheduleEntry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the entries of a source. Runs on a separate thread: a source may be slow, and entries must
 * fire meanwhile.
 */
final class ScheduleSourceReader {

  private static final Logger log = LoggerFactory.getLogger(ScheduleSourceReader.class);

  /** Delay after a failure, shorter than the usual interval. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final Callable<List<ScheduleEntry>> source;
  private final Duration interval;
  private final ScheduleEntryRegistry entries;
  private final Runnable changed;

  ScheduleSourceReader(
      Callable<List<ScheduleEntry>> source,
      Duration interval,
      ScheduleEntryRegistry entries,
      Runnable changed) {
    this.source = source;
    this.interval = interval;
    this.entries = entries;
    this.changed = changed;
  }

  /** Reads once. Returns the delay until the next read. */
  Duration read() throws InterruptedException {
    try {
      entries.replaceSourced(List.copyOf(source.call()));
      changed.run();
      return interval;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | Error e) {
      SafeLog.error(
          log, "the source of schedule entries failed; its previous entries continue to fire", e);
      return interval.compareTo(SOON) < 0 ? interval : SOON;
    }
  }
}
