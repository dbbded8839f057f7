package io.asynq4j.internal.server.attempt;

import io.asynq4j.handler.Outcome;
import io.asynq4j.internal.outcome.AppliedOutcome;
import io.asynq4j.internal.outcome.ErrorText;
import io.asynq4j.internal.text.GoDuration;
import io.asynq4j.internal.text.LogText;
import io.asynq4j.server.ServerListener.TaskRef;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed attempts, one line each: WARN if the task is retried, ERROR if it is archived. The
 * number of lines per task type and ten seconds is limited; afterwards the number of omitted lines
 * is logged. Thread-safe.
 */
public final class FailureLog {

  /** Users configure the log level by this name, so it is independent of the package. */
  static final String LOGGER = "io.asynq4j.server.FailureLog";

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  static final Duration WINDOW = Duration.ofSeconds(10);

  /** Maximum number of counted types; further types share a count. */
  static final int MOST_TYPES = 1_000;

  /**
   * Failures that share a count.
   *
   * @param type as it is printed; empty for all types without a separate count
   */
  private record Kind(String type, boolean archived) {

    Kind ofOtherTypes() {
      return new Kind("", archived);
    }
  }

  private static final class Count {
    final Kind kind;
    final long since;
    long failures;

    Count(Kind kind, long since) {
      this.kind = kind;
      this.since = since;
    }
  }

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
      boolean archived = outcome.kind() == Outcome.Kind.ARCHIVE;
      if (isWithinLimit(new Kind(LogText.name(task.task().type()), archived))) {
        write(task, outcome, error, archived);
      }
    } catch (RuntimeException | Error e) {
      // The attempt must be settled even if the logging library fails.
      log.error("could not log the failure of a task", e);
    }
  }

  private void write(TaskRef task, Outcome outcome, Throwable error, boolean archived) {
    Duration delay = outcome instanceof Outcome.Retry retry ? retry.delay() : null;
    String consequence = delay == null ? ", archived" : ", next in " + GoDuration.format(delay);
    String line =
        "task %s %s (queue %s) failed, attempt %d of %d%s: %s"
            .formatted(
                LogText.name(task.task().type()),
                LogText.name(task.id()),
                LogText.name(task.queue().value()),
                task.retried() + 1L,
                task.maxRetry() + 1L,
                consequence,
                LogText.of(ErrorText.of(error), ErrorText.LONGEST));
    Throwable thrown = archived || everyTrace ? ErrorText.thrown(error) : null;
    Throwable printed = thrown == null ? null : PrintableThrowable.of(thrown);
    // As an argument, since the line itself may contain placeholders.
    if (archived) {
      log.error("{}", line, printed);
    } else {
      log.warn("{}", line, printed);
    }
  }

  private boolean isWithinLimit(Kind kind) {
    long now = nanos.getAsLong();
    Count ended = null;
    boolean within;
    synchronized (counts) {
      Kind counted = counts.containsKey(kind) || hasRoom() ? kind : kind.ofOtherTypes();
      Count count = counts.get(counted);
      if (count == null || isOver(count, now)) {
        ended = count;
        count = new Count(counted, now);
        counts.put(counted, count);
      }
      within = ++count.failures <= limit;
    }
    if (ended != null) {
      writeUnlogged(ended, now);
    }
    return within;
  }

  /** Two entries are reserved for the shared counts. */
  private boolean hasRoom() {
    return counts.size() < MOST_TYPES - 2;
  }

  private static boolean isOver(Count count, long now) {
    return now - count.since >= WINDOW.toNanos();
  }

  private void writeUnlogged(Count count, long now) {
    long unlogged = count.failures - limit;
    if (unlogged <= 0) {
      return;
    }
    String types = count.kind.type().isEmpty() ? "other types" : count.kind.type();
    long seconds = Math.max(1, Duration.ofNanos(now - count.since).toSeconds());
    if (count.kind.archived()) {
      log.error(
          "{} more failures of {} in the last {}s, which archived their tasks, were not logged",
          unlogged,
          types,
          seconds);
    } else {
      log.warn("{} more failures of {} in the last {}s were not logged", unlogged, types, seconds);
    }
  }

  /** Logs the numbers of failures that were not logged in windows that are over. */
  public void reportEndedWindows() {
    report(/* all= */ false);
  }

  /** Logs the numbers of all failures that were not logged, when the server stops. */
  public void close() {
    report(/* all= */ true);
  }

  private void report(boolean all) {
    long now = nanos.getAsLong();
    List<Count> ended;
    synchronized (counts) {
      ended = counts.values().stream().filter(count -> all || isOver(count, now)).toList();
      counts.values().removeAll(ended);
    }
    ended.forEach(count -> writeUnlogged(count, now));
  }
}
