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

/** Runs a replica of the task service until it receives TERM or INT. */
@Command(
    name = "serve",
    description = "Run the task service, which accepts tasks over HTTP, until SIGTERM or SIGINT.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  asynq serve --config asynq.yaml --check     # validate the configuration file",
      "  asynq serve --new-key                       # generate an API key and its hash",
      "",
      "How it works:",
      "  'asynq serve --config asynq.yaml' runs tasks that are configured as HTTP calls or commands, and",
      "  leases the others to workers in any language. SIGHUP reloads the file, which",
      "  docs/reference/service-configuration.md describes. The service uses the Redis named in the",
      "  file; other connection settings and ASYNQ_CONFIG do not apply."
    })
public final class ServeCommand extends LocalCommand {

  /** Description of the global option --config, which has another meaning here. */
  static final String CONFIG =
      "Configuration file of the task service. Required unless --new-key is set.";

  private static final String SEE_DOCS =
      "docs/reference/service-configuration.md describes the configuration file.";

  @Option(
      names = "--check",
      description = "Validate the configuration file, print the result, and exit.")
  private boolean check;

  @Option(
      names = "--new-key",
      description = "Generate an API key, print the key and its hash, and exit.")
  private boolean newKey;

  @Override
  public Integer call() throws InterruptedException {
    PrintStream out = environment().out();
    if (newKey) {
      NewKey made = NewKey.make();
      out.println("key:  " + made.key() + "   (for the client; it is not stored anywhere)");
      out.println("hash: " + made.hash() + "   (for the configuration file)");
      return ExitCode.DONE;
    }
    Path path = options().configFile();
    if (path == null) {
      throw CliException.usage(
          "Missing option --config", "Pass the configuration file, e.g. --config asynq.yaml.");
    }
    try {
      if (check) {
        ServiceConfig config = ServiceConfig.load(path, environment().variables());
        int tasks = config.taskNames().size();
        out.println("%s is valid: %d %s".formatted(path, tasks, tasks == 1 ? "task" : "tasks"));
      } else {
        ServiceProcess.run(
            path,
            environment().variables(),
            service -> {
              out.println("task service  " + service.uri());
              out.flush();
            });
      }
    } catch (ConfigurationException e) {
      throw CliException.failed(String.valueOf(e.getMessage()), SEE_DOCS);
    } catch (UncheckedIOException e) {
      throw CliException.failed(
          String.valueOf(e.getMessage()), "Check the path passed with --config.");
    }
    return ExitCode.DONE;
  }
}
