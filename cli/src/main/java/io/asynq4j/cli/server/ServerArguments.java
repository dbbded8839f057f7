package io.asynq4j.cli.server;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects servers by ID, ID prefix or host:pid. */
final class ServerArguments {

  @Parameters(
      arity = "0..*",
      paramLabel = "SERVER",
      description =
          "Server ID, a prefix of it, or host:pid, as shown by 'asynq server list' (repeatable).")
  private List<String> names = List.of();

  @Option(names = "--all", description = "Select all live servers.")
  private boolean all;

  void check() {
    if (names.isEmpty() != all) {
      throw CliException.usage(
          "Expected either servers or --all", "Name one or more servers, or pass --all.");
    }
  }

  List<ServerSnapshot> find(Inspector inspector) {
    List<ServerSnapshot> servers = inspector.servers();
    if (all) {
      return servers;
    }
    List<ServerSnapshot> found = new ArrayList<>();
    for (String name : names) {
      List<ServerSnapshot> matching =
          servers.stream()
              .filter(
                  server ->
                      server.id().startsWith(name)
                          || name.equals(server.host() + ":" + server.pid()))
              .toList();
      if (matching.isEmpty()) {
        throw CliException.notFound(
            "No live server matches " + name, "Run 'asynq server list' to list all servers.");
      }
      if (matching.size() > 1) {
        throw CliException.usage(
            "%d live servers match %s".formatted(matching.size(), name),
            "Use a longer prefix of the ID.");
      }
      found.add(matching.get(0));
    }
    return found;
  }
}
