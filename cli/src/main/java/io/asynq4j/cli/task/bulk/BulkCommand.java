package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ConfirmationPrompt;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.command.ShutdownSignal;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.CountFormatter;
import io.asynq4j.cli.output.ProgressBar;
import io.asynq4j.cli.task.option.TaskFilterOptions;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Does something with all tasks of a state that filters want: counts them, asks, does it step by
 * step, and says what it could not do.
 */
abstract class BulkCommand extends RedisCommand {

  private static final int MOST_TOLD = 10;

  @Option(
      names = {"-q", "--queue"},
      required = true,
      paramLabel = "QUEUE",
      description = "The queue.")
  private String queue = "";

  @Option(
      names = {"-g", "--group"},
      paramLabel = "GROUP",
      description = "Only of this group, for aggregating tasks.")
  private @Nullable String group;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskFilterOptions filters;

  @Option(names = "--limit", paramLabel = "N", description = "No more than so many.")
  private @Nullable Long limit;

  @Option(
      names = {"--dry-run", "--dry_run"},
      description = "Only count them.")
  private boolean dryRun;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Go on where one that was stopped has ended, as it told.")
  private @Nullable String after;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ConfirmationPrompt confirmation;

  /** The state that was asked for. */
  abstract TaskState state();

  /** What is done to the tasks. */
  abstract TaskAction action();

  /** What it does, as in "Delete 3 tasks?". */
  abstract String verb();

  /** What was done, as in "3 tasks deleted". */
  abstract String done();

  abstract BulkReport apply(Session session, Selection selection);

  /** The quick way to do it with all tasks of the state; empty if there is none. */
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return Optional.empty();
  }

  /** What else to know before so many tasks are dealt with. */
  Optional<String> warning(Inspector inspector, String name, long count) {
    return Optional.empty();
  }

  /** Whether tasks go to the archive, from which others may have to go. */
  boolean archives() {
    return false;
  }

  @Override
  protected void check() {
    if (!action().isAllowedIn(state())) {
      throw CliException.usage(
          "A task " + action().refusal(state()),
          "it can be done in the states "
              + String.join(
                  ", ", action().states().stream().map(TaskState::word).sorted().toList()));
    }
    if (group != null && state() != TaskState.AGGREGATING) {
      throw CliException.usage("Only aggregating tasks are in groups", "leave --group out");
    }
    if (limit != null && limit < 1) {
      throw CliException.usage("--limit must be 1 or more", null);
    }
    filters.filter();
  }

  @Override
  protected final int run(Session session) {
    Inspector inspector = session.inspector();
    inspector.queue(queue);
    if (dryRun || !confirmation.isGiven()) {
      long count = count(session, inspector);
      warning(inspector, queue, count).ifPresent(session::note);
      if (dryRun) {
        return tell(session, BulkReport.builder().looked(count).matched(count).build());
      }
      if (count == 0) {
        return tell(session, BulkReport.builder().build());
      }
      String question =
          "%s %,d %s %s of queue %s?"
              .formatted(verb(), count, state().word(), count == 1 ? "task" : "tasks", queue);
      if (!confirmation.ask(session, question)) {
        return ExitCode.FAILED;
      }
    }
    Optional<BulkReport> quickly = isAll() ? quickly(session, inspector) : Optional.empty();
    return tell(
        session,
        quickly.orElseGet(
            () -> working(session, inspector, verb(), chosen -> apply(session, chosen))));
  }

  /** Whether all tasks of the state are meant. */
  private boolean isAll() {
    return filters.isEmpty() && group == null && limit == null && after == null;
  }

  /** What an operation that knows no failures has done. */
  static Optional<BulkReport> reportOf(long done) {
    return Optional.of(BulkReport.builder().looked(done).matched(done).done(done).build());
  }

  private Optional<BulkReport> quickly(Session session, Inspector inspector) {
    long total = inspector.queue(queue).size(state());
    try (ProgressBar bar = session.progress()) {
      return applyToAll(inspector, queue, so -> bar.show(verb(), so, total));
    }
  }

  private long count(Session session, Inspector inspector) {
    if (isAll()) {
      return inspector.queue(queue).size(state());
    }
    return working(session, inspector, "Count", Selection::count).matched();
  }

  private interface Work {
    BulkReport on(Selection selection);
  }

  private BulkReport working(Session session, Inspector inspector, String what, Work work) {
    try (ProgressBar bar = session.progress();
        ShutdownSignal interruption = ShutdownSignal.watch()) {
      Selection selection =
          inspector
              .select(queue, state())
              .where(filters.filter())
              .after(after)
              .stopWhen(interruption::isAsked)
              .onProgress(so -> bar.show(what, so.looked(), so.total()));
      selection = group == null ? selection : selection.inGroup(group);
      return work.on(limit == null ? selection : selection.limit(limit));
    }
  }

  private int tell(Session session, BulkReport report) {
    List<Column<BulkReport>> columns =
        new ArrayList<>(
            List.of(
                Column.data("queue", any -> queue),
                Column.data("state", any -> state().word()),
                Column.data("dry_run", any -> dryRun),
                Column.data("matched", BulkReport::matched),
                Column.data("done", BulkReport::done),
                Column.data("failed", BulkReport::failed),
                Column.data("cursor", any -> limit == null ? report.cursor() : null)));
    if (archives()) {
      columns.add(Column.data("dropped", BulkReport::dropped));
    }
    session.printer().told(List.of(report), columns, this::words);
    report.failures().stream()
        .limit(MOST_TOLD)
        .forEach(each -> session.note("asynq: task %s %s".formatted(each.id(), each.problem())));
    if (report.failed() > MOST_TOLD) {
      session.note("asynq: and %,d more".formatted(report.failed() - MOST_TOLD));
    }
    if (report.problem() != null) {
      session.note("asynq: " + report.problem());
    }
    boolean stopped = report.cursor() != null && limit == null;
    boolean failed = report.failed() > 0 || report.problem() != null;
    if (stopped) {
      session.note("Not at its end; go on with --after '%s'".formatted(report.cursor()));
    }
    return failed || stopped ? ExitCode.FAILED : ExitCode.DONE;
  }

  private String words(BulkReport report) {
    if (dryRun) {
      return "%s would be %s.".formatted(CountFormatter.tasks(report.matched()), done());
    }
    String words = "%s %s.".formatted(CountFormatter.tasks(report.done()), done());
    return report.dropped() == 0
        ? words
        : words
            + " To make room, %s deleted, the oldest first."
                .formatted(
                    report.dropped() == 1
                        ? "1 archived task was"
                        : "%,d archived tasks were".formatted(report.dropped()));
  }
}
