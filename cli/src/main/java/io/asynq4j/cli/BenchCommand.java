package io.asynq4j.cli;

import io.asynq4j.cli.command.CliException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Placeholder for the load programs in the help. The launcher runs the programs themselves. */
@Command(
    name = "bench",
    description = {
      "Run load programs: measure throughput, latency and cost on this machine.",
      "Load programs require a source checkout: run './asynq bench --help' there to list them."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ./asynq bench --help", "  ./asynq bench drain --quick"})
final class BenchCommand implements Callable<Integer> {

  @Unmatched private List<String> rest = new ArrayList<>();

  @Override
  public Integer call() {
    throw CliException.failed(
        "The load programs%s are not part of this jar"
            .formatted(rest.isEmpty() ? "" : " (" + rest.get(0) + ")"),
        "Run ./asynq bench in a checkout of the sources.");
  }
}
