package io.asynq4j.cli.server;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Makes servers stop claiming tasks. */
@Command(
    name = "quiet",
    description =
        "Make servers stop claiming tasks. Running tasks continue. Go servers ignore this command.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq server quiet --all")
final class ServerQuietCommand extends RedisCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ServerArguments servers;

  /** Whether the request reached a live server. */
  record Notified(ServerSnapshot server, boolean isReached) {

    static int show(Session session, List<Notified> all, String order) {
      session
          .printer()
          .results(
              all,
              List.of(
                  Column.of("ID", "id", each -> each.server().id()),
                  Column.of("Host", "host", each -> each.server().host()),
                  Column.of("PID", "pid", each -> each.server().pid()),
                  Column.of("Notified", "told", Notified::isReached)),
              each ->
                  "Server %s:%d %s."
                      .formatted(
                          each.server().host(),
                          each.server().pid(),
                          each.isReached() ? "was asked to " + order : "is no longer running"));
      session.printer().line("Run 'asynq server list' to see the current status.");
      return all.stream().allMatch(Notified::isReached) ? ExitCode.DONE : ExitCode.NOT_FOUND;
    }
  }

  @Override
  protected void check() {
    servers.check();
  }

  @Override
  protected int run(Session session) {
    return Notified.show(
        session,
        servers.find(session.inspector()).stream()
            .map(server -> new Notified(server, session.inspector().quietServer(server.id())))
            .toList(),
        "stop claiming tasks");
  }
}
