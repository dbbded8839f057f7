package io.asynq4j.cli;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.LocalCommand;
import io.asynq4j.service.ConfigurationException;
import io.asynq4j.service.NewKey;
import io.asynq4j.service.ServiceConfig;
import io.asynq4j.service.ServiceProcess;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A replica of the task service, until TERM or INT. */
@Command(
    name = "serve",
    description = "Runs a replica of the task service, until TERM or INT.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq serve --config asynq.yaml --check     # what is wrong with the file, and where",
      "  asynq serve --new-key                       # an API key, and its hash for the file",
      "",
      "How it works:",
      "  'asynq serve --config asynq.yaml' takes in tasks by HTTP, executes hosted ones and leases",
      "  others to workers in any language, as that file says: docs/guides/service.md describes it.",
      "  HUP has it read again. Redis is the one that it names, whatever other settings say."
    })
public final class ServeCommand extends LocalCommand {

  private static final String SEE_DOCS = "docs/guides/service.md describes the file";

  @Option(names = "--check", description = "Only say what is wrong with the configuration.")
  private boolean check;

  @Option(names = "--new-key", description = "Make an API key and print it with its hash.")
  private boolean newKey;

  @Override
  public Integer call() throws InterruptedException {
    PrintStream out = surroundings().out();
    if (newKey) {
      NewKey made = NewKey.make();
      out.println("key:  " + made.key() + "   (give it to whoever calls; it is kept nowhere)");
      out.println("hash: " + made.hash() + "   (for the configuration)");
      return ExitCode.DONE;
    }
    Path path = options().configFile();
    if (path == null) {
      throw CliException.usage("Which configuration?", "say --config asynq.yaml");
    }
    try {
      if (check) {
        ServiceConfig config = ServiceConfig.load(path, surroundings().variables());
        int tasks = config.taskNames().size();
        out.println("%s is fine: %d %s".formatted(path, tasks, tasks == 1 ? "task" : "tasks"));
      } else {
        ServiceProcess.run(
            path,
            surroundings().variables(),
            service -> {
              out.println("task service  " + service.uri());
              out.flush();
            });
      }
    } catch (ConfigurationException e) {
      throw CliException.failed(String.valueOf(e.getMessage()), SEE_DOCS);
    } catch (UncheckedIOException e) {
      throw CliException.failed(String.valueOf(e.getMessage()), "--config names the file");
    }
    return ExitCode.DONE;
  }
}
