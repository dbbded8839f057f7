package io.asynq4j.internal.server.attempt;

import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.ErrorText;
import io.asynq4j.internal.text.GoDuration;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.internal.text.SafeLog;
import io.asynq4j.server.ServerListener.TaskRef;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs failed attempts, one line each: WARN if the task is retried, ERROR if it is archived. The
 * number of lines per task type and ten seconds is limited; afterwards the number of omitted lines
 * is logged. Thread-safe.
 */
public final class FailureLog {

  /** Users configure the log level by this name, so it is independent of the package. */
  static final String LOGGER = "io.asynq4j.server.FailureLog";

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  private static final String NOT_LOGGED = SafeLog.text("could not log the failure of a task");

  static final Duration WINDOW = Duration.ofSeconds(10);

  /** Maximum number of counted types; further types share a count. */
  static final int MOST_TYPES = 1_000;

  /**
   * Failures that share a count.
   *
   * @param type as it is printed; empty for all types without a separate count
   * @param level ERROR if the tasks were archived
   */
  private record Kind(String type, Level level) {}

  private record Count(Kind kind, long since, AtomicLong failures) {}

  private final int limit;
  private final boolean everyTrace;
  private final LongSupplier nanos;
  private final Map<Kind, Count> counts = new LinkedHashMap<>();

  /**
   * @param limit maximum number of lines per type and window, separately for archived tasks
   * @param everyTrace whether each line has a stack trace, not only those of archived tasks
   */
  public FailureLog(int limit, boolean everyTrace, LongSupplier nanos) {
    this.limit = limit;
    this.everyTrace = everyTrace;
    this.nanos = nanos;
  }

  /** Logs the attempt if it failed. Never throws. */
  void finished(TaskRef task, AppliedOutcome applied) {
    Throwable error = applied.error();
    if (!applied.failed() || error == null) {
      return;
    }
    try {
      Outcome outcome = applied.outcome();
      Level level = outcome.kind() == Outcome.Kind.ARCHIVE ? Level.ERROR : Level.WARN;
      Kind kind = new Kind(LogText.name(task.task().type()), level);
      if (isWithinLimit(kind)) {
        write(kind, task, outcome, error);
      }
    } catch (RuntimeException | Error e) {
      // The attempt must be settled even if the logging library fails.
      SafeLog.error(log, NOT_LOGGED, e);
    }
  }

  private void write(Kind kind, TaskRef task, Outcome outcome, Throwable error) {
    Duration delay = outcome instanceof Outcome.Retry retry ? retry.delay() : null;
    String consequence = delay == null ? ", archived" : ", next in " + GoDuration.format(delay);
    String line =
        "task %s %s (queue %s) failed, attempt %d of %d%s: %s"
            .formatted(
                kind.type(),
                LogText.name(task.id()),
                LogText.name(task.queue().value()),
                task.retried() + 1L,
                task.maxRetry() + 1L,
                consequence,
                LogText.of(ErrorText.of(error), ErrorText.LONGEST));
    Throwable thrown = kind.level() == Level.ERROR || everyTrace ? ErrorText.thrown(error) : null;
    Throwable printed = thrown == null ? null : PrintableThrowable.of(thrown);
    // As an argument, since the line itself may contain placeholders.
    log.atLevel(kind.level()).setCause(printed).log("{}", line);
  }

  private boolean isWithinLimit(Kind kind) {
    long now = nanos.getAsLong();
    Count ended = null;
    boolean within;
    synchronized (counts) {
      // Two entries are reserved for the shared counts.
      boolean isCounted = counts.containsKey(kind) || counts.size() < MOST_TYPES - 2;
      Kind counted = isCounted ? kind : new Kind("", kind.level());
      Count count = counts.get(counted);
      if (count == null || isOver(count, now)) {
        ended = count;
        count = new Count(counted, now, new AtomicLong());
        counts.put(counted, count);
      }
      within = count.failures().incrementAndGet() <= limit;
    }
    if (ended != null) {
      writeUnlogged(ended, now);
    }
    return within;
  }

  private static boolean isOver(Count count, long now) {
    return now - count.since() >= WINDOW.toNanos();
  }

  private void writeUnlogged(Count count, long now) {
    long unlogged = count.failures().get() - limit;
    if (unlogged <= 0) {
      return;
    }
    Kind kind = count.kind();
    String types = kind.type().isEmpty() ? "other types" : kind.type();
    long seconds = Math.max(1, Duration.ofNanos(now - count.since()).toSeconds());
    String consequence = kind.level() == Level.ERROR ? ", which archived their tasks," : "";
    log.atLevel(kind.level())
        .log(
            "{} more failures of {} in the last {}s{} were not logged",
            unlogged,
            types,
            seconds,
            consequence);
  }

  /**
   * Logs the numbers of failures that were not logged.
   *
   * @param all also in windows that are not over, because the server stops
   */
  public void reportUnlogged(boolean all) {
    long now = nanos.getAsLong();
    List<Count> ended;
    synchronized (counts) {
      ended = counts.values().stream().filter(count -> all || isOver(count, now)).toList();
      ended.forEach(count -> counts.remove(count.kind()));
    }
    ended.forEach(count -> writeUnlogged(count, now));
  }
}
