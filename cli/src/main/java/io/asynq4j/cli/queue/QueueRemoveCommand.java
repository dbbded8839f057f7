package io.asynq4j.cli.queue;

import io.asynq4j.cli.command.ConfirmationPrompt;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.CountFormatter;
import io.asynq4j.inspect.Inspector;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes queues. */
@Command(
    name = "remove",
    aliases = {"rm", "delete"},
    description = {
      "Remove empty queues, or with --force also queues with tasks.",
      "Queues with active tasks cannot be removed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq queue remove unused",
      "  asynq queue rm outdated --force --yes      # delete the queue with its tasks, do not ask"
    })
final class QueueRemoveCommand extends RedisCommand {

  @Parameters(arity = "1..*", paramLabel = "QUEUE", description = "Name of the queue (repeatable).")
  private List<String> queues = List.of();

  @Option(
      names = {"-f", "--force"},
      description = "Also remove queues that have tasks, and delete the tasks.")
  private boolean force;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ConfirmationPrompt confirmation;

  @Override
  protected int run(Session session) {
    Inspector inspector = session.inspector();
    PerQueueRunner<String> each = new PerQueueRunner<>(session);
    List<String> removed =
        each.of(queues, name -> remove(session, inspector, name)).stream()
            .filter(name -> !name.isEmpty())
            .toList();
    session
        .printer()
        .results(
            removed,
            List.of(Column.of("Queue", "removed", name -> name)),
            "Queue %s is removed."::formatted);
    return each.exitCode() == ExitCode.DONE && removed.size() < queues.size()
        ? ExitCode.FAILED
        : each.exitCode();
  }

  /** Returns the name, or an empty string if the user did not confirm. */
  private String remove(Session session, Inspector inspector, String name) {
    long tasks = inspector.queue(name).snapshot().size();
    if (force
        && tasks > 0
        && !confirmation.ask(
            session,
            "Remove queue %s and delete %s?".formatted(name, CountFormatter.tasks(tasks)))) {
      return "";
    }
    inspector.queue(name).remove(force);
    return name;
  }
}
