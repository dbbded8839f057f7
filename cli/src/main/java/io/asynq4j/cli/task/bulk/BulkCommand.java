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
 * Applies an operation to all tasks of a state that match the filters: counts them, asks for
 * confirmation, works in steps, and reports failures.
 */
abstract class BulkCommand extends RedisCommand {

  private static final int MAX_REPORTED = 10;

  @Option(
      names = {"-q", "--queue"},
      required = true,
      paramLabel = "QUEUE",
      description = "Queue of the tasks.")
  private String queue = "";

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private TaskFilterOptions filters;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of tasks to change. Default: no limit.")
  private @Nullable Long limit;

  @Option(
      names = {"--dry-run", "--dry_run"},
      description = "Only count the matching tasks; change nothing.")
  private boolean dryRun;

  @Option(
      names = "--resume-from",
      paramLabel = "CURSOR",
      description = "Resume an interrupted run from the cursor it printed.")
  private @Nullable String resumeFrom;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ConfirmationPrompt confirmation;

  /** Selected state. */
  abstract TaskState state();

  /** Group of the tasks; null for all, and for commands without aggregating tasks. */
  @Nullable String group() {
    return null;
  }

  /** The action on the tasks. */
  abstract TaskAction action();

  /** Verb for questions and progress, as in "Delete 3 tasks?". */
  abstract String verb();

  /** Participle for results, as in "3 tasks deleted". */
  String done() {
    return action().done();
  }

  abstract BulkReport apply(Session session, Selection selection);

  /** Faster operation on all tasks of the state; empty if there is none. */
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    return Optional.empty();
  }

  /** Warning to show before the confirmation. */
  Optional<String> warning(Inspector inspector, String name, long count) {
    return Optional.empty();
  }

  /** Whether tasks are archived, so that older archived tasks may be deleted. */
  boolean archives() {
    return false;
  }

  @Override
  protected void check() {
    if (!action().isAllowedIn(state())) {
      throw CliException.usage(
          "A task " + action().refusal(state()),
          "Supported states: "
              + String.join(
                  ", ", action().states().stream().map(TaskState::word).sorted().toList()));
    }
    if (group() != null && state() != TaskState.AGGREGATING) {
      throw CliException.usage("--group applies only to aggregating tasks", "Remove --group.");
    }
    if (limit != null && limit < 1) {
      throw CliException.usage("--limit must be 1 or greater, got " + limit, null);
    }
    filters.filter();
  }

  @Override
  protected final int run(Session session) {
    Inspector inspector = session.inspector();
    inspector.queue(queue).snapshot();
    if (dryRun || !confirmation.isGiven()) {
      long count = count(session, inspector);
      warning(inspector, queue, count).ifPresent(session::note);
      if (dryRun) {
        return report(session, BulkReport.builder().looked(count).matched(count).build());
      }
      if (count == 0) {
        return report(session, BulkReport.builder().build());
      }
      String question =
          "%s %,d %s %s in queue %s?"
              .formatted(verb(), count, state().word(), count == 1 ? "task" : "tasks", queue);
      if (!confirmation.ask(session, question)) {
        return ExitCode.FAILED;
      }
    }
    Optional<BulkReport> quickly = isAll() ? quickly(session, inspector) : Optional.empty();
    return report(
        session,
        quickly.orElseGet(
            () -> working(session, inspector, verb(), chosen -> apply(session, chosen))));
  }

  /** Whether all tasks of the state are selected. */
  private boolean isAll() {
    return filters.isEmpty() && group() == null && limit == null && resumeFrom == null;
  }

  /** Report of an operation without failures. */
  static Optional<BulkReport> reportOf(long done) {
    return Optional.of(BulkReport.builder().looked(done).matched(done).done(done).build());
  }

  private Optional<BulkReport> quickly(Session session, Inspector inspector) {
    long total = inspector.queue(queue).snapshot().size(state());
    try (ProgressBar bar = session.progress()) {
      return applyToAll(inspector, queue, done -> bar.show(verb(), done, total));
    }
  }

  private long count(Session session, Inspector inspector) {
    if (isAll()) {
      return inspector.queue(queue).snapshot().size(state());
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
              .queue(queue)
              .select(state())
              .where(filters.filter())
              .after(resumeFrom)
              .stopWhen(interruption::isAsked)
              .onProgress(progress -> bar.show(what, progress.looked(), progress.total()));
      String group = group();
      selection = group == null ? selection : selection.inGroup(group);
      return work.on(limit == null ? selection : selection.limit(limit));
    }
  }

  private int report(Session session, BulkReport report) {
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
    session.printer().results(List.of(report), columns, this::words);
    report.failures().stream()
        .limit(MAX_REPORTED)
        .forEach(each -> session.note("asynq: task %s %s".formatted(each.id(), each.problem())));
    if (report.failed() > MAX_REPORTED) {
      session.note(
          "asynq: %,d more failures are not shown".formatted(report.failed() - MAX_REPORTED));
    }
    if (report.problem() != null) {
      session.note("asynq: " + report.problem());
    }
    boolean stopped = report.cursor() != null && limit == null;
    boolean failed = report.failed() > 0 || report.problem() != null;
    if (stopped) {
      session.note("Incomplete. Resume with --resume-from '%s'".formatted(report.cursor()));
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
            + " To make room in the archive, %s deleted."
                .formatted(
                    report.dropped() == 1
                        ? "its oldest task was"
                        : "its %,d oldest tasks were".formatted(report.dropped()));
  }
}
