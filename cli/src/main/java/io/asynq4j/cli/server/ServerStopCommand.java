package io.asynq4j.cli.server;

import io.asynq4j.cli.command.ConfirmationPrompt;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.server.ServerQuietCommand.Notified;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stops servers. */
@Command(
    name = "stop",
    description = {
      "Stop servers.",
      "Each server waits for its running tasks, requeues those that do not end within its",
      "shutdownTimeout (default: 8s), and then shuts down. Go servers ignore this command."
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
    return Notified.show(
        session,
        chosen.stream()
            .map(server -> new Notified(server, session.inspector().stopServer(server.id())))
            .toList(),
        "stop");
  }
}
