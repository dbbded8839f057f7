package io.asynq4j.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Stands for the load programs in the help; the launcher runs them itself. */
@Command(
    name = "bench",
    description = "Measures how fast it is here: ./asynq bench --help lists the programs.")
final class BenchCommand implements Callable<Integer> {

  @Parameters(hidden = true)
  private List<String> rest = List.of();

  @Override
  public Integer call() {
    throw new IllegalStateException(
        "The load programs%s are not part of this jar, since they are never published: run them"
                .formatted(rest.isEmpty() ? "" : " (" + rest.get(0) + ")")
            + " with the launcher ./asynq in a checkout of the sources.");
  }
}
