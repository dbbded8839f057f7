package io.asynq4j.cli.server;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Servers that are named by their id, the beginning of it, or as host:pid. */
final class ServerArguments {

  @Parameters(
      arity = "0..*",
      paramLabel = "SERVER",
      description = "Its id, the beginning of it, or host:pid, as 'asynq server list' shows.")
  private List<String> names = List.of();

  @Option(names = "--all", description = "All live servers.")
  private boolean all;

  void check() {
    if (names.isEmpty() != all) {
      throw CliException.usage("Which servers?", "name some, or say --all");
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
            "no live server is called " + name, "'asynq server list' shows all");
      }
      if (matching.size() > 1) {
        throw CliException.usage(
            "%d live servers are called %s".formatted(matching.size(), name), "say more of the id");
      }
      found.add(matching.get(0));
    }
    return found;
  }
}
