package io.asynq4j.benchmarks.load;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The load programs behind {@code ./asynq bench}. */
@Command(
    name = "asynq bench",
    description = "Measures how fast it is here, and compares with what could be.",
    synopsisSubcommandLabel = "PROGRAM",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured, and every bar was met (or sizes were small)",
      "1:a bar was missed at full size, or the program failed",
      "2:the command line was not understood"
    },
    footer = {
      "",
      "References in the same run: L(c), the limit, is the same scripts driven by a",
      "bare client with batches of min(c, 200), one claim and one settle call in",
      "flight. N, the naive loop, is one script call per task, one fetcher, ten",
      "workers, as the Go original works. Bars are judged only at full size, on a",
      "quiet machine; --quick shows whether a program works."
    },
    subcommands = {
      DrainBenchmark.class,
      SteadyRateBenchmark.class,
      IdlePickUpBenchmark.class,
      DuePrecisionBenchmark.class,
      EnqueueBenchmark.class,
      RetryStormBenchmark.class,
      ManyQueuesBenchmark.class,
      IdleCostBenchmark.class,
      LargeFleetBenchmark.class,
      RecoveryBenchmark.class,
      FootprintBenchmark.class,
      AddedLatencyBenchmark.class,
      ArchiveSearchBenchmark.class,
      ServiceBenchmark.class,
      PeerComparisonBenchmark.class
    })
public final class Bench implements Runnable {

  @Spec private CommandSpec spec;

  // Read by picocli.
  @SuppressWarnings("UnusedVariable")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this text.")
  private boolean help;

  // Filled in by picocli.
  @SuppressWarnings("NullAway.Init")
  Bench() {}

  /** Runs one program. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Bench());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which program? These are there:");
  }
}
