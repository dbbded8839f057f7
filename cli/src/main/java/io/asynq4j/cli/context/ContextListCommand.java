package io.asynq4j.cli.context;

import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.settings.ConfigFile;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Command;

/** Lists all contexts. */
@Command(
    name = "list",
    aliases = "ls",
    description = "List all contexts. Passwords are not shown.",
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
                    .styled((colors, name, text) -> colors.green(text)),
                Column.of("Context", "context", name -> name),
                Column.of("Redis", "redis", name -> file.of(name).toString()),
                Column.data("password", name -> file.of(name).toConfig().password().isPresent())),
            "No contexts in %s. Run 'asynq context set NAME --redis URL' to create one."
                .formatted(file.path()));
    return ExitCode.DONE;
  }
}
