package io.asynq4j.cli.server;

import io.asynq4j.cli.command.ConfirmationPrompt;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.server.ServerQuietCommand.Told;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has servers stop. */
@Command(
    name = "stop",
    description = {
      "Has servers stop.",
      "Each waits for what it runs, puts the rest back, and is gone from the list then. Go servers do",
      "not hear it."
    },
    footerHeading = "%nExamples:%n",
    footer = "  asynq server stop --all --yes")
final class ServerStopCommand extends RedisCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ServerArguments servers;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ConfirmationPrompt confirmation;

  @Override
  protected void check() {
    servers.check();
  }

  @Override
  protected int run(Session session) {
    List<ServerSnapshot> chosen = servers.find(session.inspector());
    if (!chosen.isEmpty()
        && !confirmation.ask(session, "Stop %d servers?".formatted(chosen.size()))) {
      return ExitCode.FAILED;
    }
    return Told.show(
        session,
        chosen.stream()
            .map(server -> new Told(server, session.inspector().stopServer(server.id())))
            .toList(),
        "stop");
  }
}
