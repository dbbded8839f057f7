package io.asynq4j.cli.task.change;

import io.asynq4j.Payload;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.task.option.PayloadSource;
import io.asynq4j.cli.task.option.TaskLocation;
import io.asynq4j.inspect.Inspector;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Replaces the payload of tasks. */
@Command(
    name = "edit",
    aliases = "update",
    description = "Replace the payload of tasks that are neither active nor completed.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq task edit later-7 --payload '{\"user\": 43}'",
      "  asynq task edit -q mail -i later-7 --payload @payload.json",
      "  asynq task edit later-7 --payload - < payload.json"
    })
public final class TaskEditCommand extends TaskChangeCommand {

  @Option(
      names = {"-l", "--payload"},
      required = true,
      paramLabel = "TEXT",
      description = "New payload: the text itself, @FILE, or - for the standard input.")
  private String payload = "";

  private @Nullable Payload read;

  @Override
  String change(Inspector inspector, Session session, TaskLocation task) {
    if (read == null) {
      read = PayloadSource.read(payload, session.environment());
    }
    inspector.queue(task.queue()).updatePayload(task.id(), read);
    return "payload replaced (%,d bytes)".formatted(read.size());
  }
}
