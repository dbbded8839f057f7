package io.asynq4j.cli.task.bulk;

import io.asynq4j.TaskState;
import io.asynq4j.cli.command.Session;
import io.asynq4j.inspect.BulkReport;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.Selection;
import io.asynq4j.inspect.TaskAction;
import java.util.Optional;
import java.util.function.LongConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Archives all tasks of a queue in one state, or those that match the filters. */
@Command(
    name = "archiveall",
    description = {
      "Archive all tasks of a queue in one state, or those that match the filters.",
      "The command counts the tasks and asks for confirmation first.",
      "It stops when the archive is full, unless --drop-oldest is set."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task archiveall --queue mail --state retry --dry-run",
      "  asynq task archiveall -q mail -s pending --type 'report:*' --yes"
    })
public final class TaskArchiveAllCommand extends GroupBulkCommand {

  @Option(
      names = {"-s", "--state"},
      required = true,
      paramLabel = "STATE",
      completionCandidates = StateCandidates.OfArchive.class,
      description = "State of the tasks: ${COMPLETION-CANDIDATES}.")
  private TaskState state = TaskState.PENDING;

  @Option(
      names = "--drop-oldest",
      description =
          "Delete the oldest archived tasks when the archive is full. Default: stop instead.")
  private boolean dropOldest;

  @Override
  TaskState state() {
    return state;
  }

  @Override
  TaskAction action() {
    return TaskAction.ARCHIVE;
  }

  @Override
  String verb() {
    return "Archive";
  }

  @Override
  BulkReport apply(Session session, Selection selection) {
    return (dropOldest ? selection.droppingOldest() : selection).archive();
  }

  @Override
  Optional<BulkReport> applyToAll(Inspector inspector, String name, LongConsumer progress) {
    Inspector allowed = dropOldest ? inspector.droppingOldest() : inspector;
    return Optional.of(allowed.queue(name).archiveEach(state, progress));
  }

  @Override
  Optional<String> warning(Inspector inspector, String name, long count) {
    long beyond = count - inspector.queue(name).archiveRoom();
    if (beyond <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        dropOldest
            ? "The archive of queue %1$s has no room for %2$,d of these tasks. The %2$,d oldest archived tasks will be deleted."
                .formatted(name, beyond)
            : "The archive of queue %s has no room for %,d of these tasks. They will not be archived unless you pass --drop-oldest."
                .formatted(name, beyond));
  }

  @Override
  boolean archives() {
    return true;
  }
}
