package io.asynq4j.cli;

import io.asynq4j.cli.command.CliException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Stands for the load programs in the help; the launcher runs them itself. */
@Command(
    name = "bench",
    description = {
      "Measures how fast it is here.",
      "The load programs are in the sources: './asynq bench --help' there lists them."
    })
final class BenchCommand implements Callable<Integer> {

  @Unmatched private List<String> rest = new ArrayList<>();

  @Override
  public Integer call() {
    throw CliException.failed(
        "The load programs%s are not part of this jar, since they are never published"
            .formatted(rest.isEmpty() ? "" : " (" + rest.get(0) + ")"),
        "run them with the launcher ./asynq in a checkout of the sources");
  }
}
