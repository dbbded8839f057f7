package io.asynq4j.cli.task.change;

import io.asynq4j.TaskOptions;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.EnqueueOptions;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Enqueues copies of tasks. */
@Command(
    name = "copy",
    aliases = {"clone", "cp"},
    description = {
      "Enqueue copies of tasks in any state.",
      "A copy is due now and has the options of the original, except its unique lock and, unless the",
      "original is aggregating, its group. Options that you pass replace those of the original; headers",
      "are added, and one with the same name is replaced. The defaults below apply only where the",
      "original has no such option."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task copy broken-1",
      "  asynq task copy broken-1 --to slow --in 1h --retry 3",
      "  asynq task cp -q mail -i broken-1 --new-id second-try"
    })
public final class TaskCopyCommand extends TaskChangeCommand {

  @Option(
      names = "--to",
      paramLabel = "QUEUE",
      description = "Queue of the copy. Default: the same queue.")
  private @Nullable String to;

  @Option(
      names = "--new-id",
      paramLabel = "ID",
      description = "ID of the copy. Default: a random ID.")
  private @Nullable String newId;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private EnqueueOptions settings;

  @Override
  protected void check() {
    super.check();
    // Before Redis is asked for the task.
    settings.applyTo(TaskOptions.builder());
  }

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    return "copied as " + inspector.queue(task.queue()).copy(task.id(), this::options);
  }

  private TaskOptions.Builder options(TaskOptions.Builder options) {
    if (to != null) {
      options.queue(to);
    }
    if (newId != null) {
      options.id(newId);
    }
    return settings.applyTo(options);
  }
}
