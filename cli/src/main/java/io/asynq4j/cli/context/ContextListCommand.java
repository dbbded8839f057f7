package io.asynq4j.cli.context;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.settings.ConfigFile;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Command;

/** All named places. */
@Command(
    name = "list",
    aliases = "ls",
    description = "Lists all contexts; never their passwords.",
    footerHeading = "%nExamples:%n",
    footer = {"  asynq context list", "  asynq context ls --json"})
final class ContextListCommand extends LocalCommand {

  @Override
  public Integer call() {
    ConfigFile file = options().file();
    List<String> names = List.copyOf(new TreeSet<>(file.contexts().keySet()));
    String used = options().contextInUse();
    options()
        .printer()
        .list(
            names,
            List.of(
                Column.<String>of("Used", "used", name -> name.equals(used))
                    .shownAs(name -> name.equals(used) ? "*" : "")
                    .styled((ink, name, text) -> ink.green(text)),
                Column.of("Context", "context", name -> name),
                Column.of("Redis", "redis", name -> file.of(name).toString()),
                Column.data("password", name -> file.of(name).toConfig().password().isPresent())),
            "There is no context in %s; 'asynq context set NAME --redis URL' makes one."
                .formatted(file.path()));
    return ExitCode.DONE;
  }
}
