package io.asynq4j.cli.server;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.output.Column;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has servers take nothing more. */
@Command(
    name = "quiet",
    description =
        "Has servers take nothing more; what they run goes on. Go servers do not hear it.",
    footerHeading = "%nExamples:%n",
    footer = "  asynq server quiet --all")
final class ServerQuietCommand extends RedisCommand {

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ServerArguments servers;

  /** Whether a server was still there to be told. */
  record Told(ServerSnapshot server, boolean told) {

    static int show(Session session, List<Told> all, String order) {
      session
          .printer()
          .told(
              all,
              List.of(
                  Column.of("ID", "id", each -> each.server().id()),
                  Column.of("Host", "host", each -> each.server().host()),
                  Column.of("PID", "pid", each -> each.server().pid()),
                  Column.of("Told", "told", Told::told)),
              each ->
                  "Server %s:%d %s."
                      .formatted(
                          each.server().host(),
                          each.server().pid(),
                          each.told() ? "is told to " + order : "is gone"));
      session.printer().line("'asynq server list' shows when it is so.");
      return all.stream().allMatch(Told::told) ? ExitCode.DONE : ExitCode.NOT_FOUND;
    }
  }

  @Override
  protected void check() {
    servers.check();
  }

  @Override
  protected int run(Session session) {
    return Told.show(
        session,
        servers.find(session.inspector()).stream()
            .map(server -> new Told(server, session.inspector().quietServer(server.id())))
            .toList(),
        "take nothing more");
  }
}
