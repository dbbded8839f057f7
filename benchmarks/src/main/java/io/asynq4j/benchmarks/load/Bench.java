package io.asynq4j.benchmarks.load;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Load programs of {@code ./asynq bench}. */
@Command(
    name = "asynq bench",
    description = "Run load programs: measure throughput, latency and cost on this machine.",
    synopsisSubcommandLabel = "PROGRAM",
    descriptionHeading = "%n",
    optionListHeading = "%n",
    commandListHeading = "%nPrograms:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:completed, and all thresholds are met (they are not checked with reduced sizes)",
      "1:a threshold was missed at full size, or the program failed",
      "2:invalid command line"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./asynq bench drain --quick",
      "  ./asynq bench steady --json",
      "",
      "The letters are those of the sections in docs/explanation/performance.md.",
      "",
      "Each run also measures reference values. In the tables, L(c) is the limit: a minimal client that",
      "calls the same scripts in batches of min(c, 200), with one claim and one settle call in flight.",
      "N is the naive loop: one script call per task, one fetcher and ten workers, as in asynq for Go.",
      "Thresholds are checked only at full size and are meaningful only on an idle machine. Use --quick",
      "to test whether a program works."
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
      TestKitBenchmark.class,
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
      description = "Show this help message and exit.")
  private boolean help;

  // Set by picocli.
  @SuppressWarnings("NullAway.Init")
  Bench() {}

  /** Runs one program. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    CommandLine commands = new CommandLine(new Bench()).setUsageHelpWidth(100);
    commands
        .getSubcommands()
        .values()
        .forEach(
            each ->
                each.getCommandSpec()
                    .usageMessage()
                    .abbreviateSynopsis(true)
                    .descriptionHeading("%n")
                    .optionListHeading("%n"));
    return commands;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing program. Available programs:");
  }
}
