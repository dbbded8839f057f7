package io.asynq4j.cli;

import io.asynq4j.cli.command.CliException;
import io.asynq4j.cli.command.ConfirmationPrompt;
import io.asynq4j.cli.command.ExitCode;
import io.asynq4j.cli.command.RedisCommand;
import io.asynq4j.cli.command.Session;
import io.asynq4j.cli.command.ShutdownSignal;
import io.asynq4j.cli.output.Column;
import io.asynq4j.cli.output.OutputFormat;
import io.asynq4j.cli.output.Printer;
import io.asynq4j.cli.output.ProgressBar;
import io.asynq4j.inspect.Diagnosis;
import io.asynq4j.inspect.DoctorOptions;
import io.asynq4j.inspect.Finding;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the data in Redis for inconsistencies and repairs them. */
@Command(
    name = "doctor",
    description = {
      "Check the data in Redis for inconsistencies, and repair them with --repair.",
      "Safe to run while servers are working. Without --repair it only reads. It deletes tasks only with",
      "--remove-unreadable or --trim-archives. The exit code is 1 if inconsistencies remain.",
      "docs/guides/doctor.md describes the findings."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  asynq doctor", "  asynq doctor --queue mail --json", "  asynq doctor --repair"})
public final class DoctorCommand extends RedisCommand {

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Check only this queue (repeatable). Default: all queues.")
  private List<String> queues = List.of();

  @Option(names = "--repair", description = "Repair the inconsistencies that are found.")
  private boolean repair;

  @Option(
      names = "--remove-unreadable",
      description =
          "Delete tasks that cannot be decoded instead of archiving them. Requires --repair.")
  private boolean removeUnreadable;

  @Option(
      names = "--trim-archives",
      description =
          "Delete the oldest archived tasks beyond --archive-size and --archive-age. Set these to the"
              + " limits of your servers. Requires --repair.")
  private boolean trimArchives;

  @Option(
      names = "--archive-size",
      paramLabel = "N",
      description = "Report archives with more than N tasks. Default: ${DEFAULT-VALUE}.")
  private int archiveSize = 9_999;

  @Option(
      names = "--archive-age",
      paramLabel = "DURATION",
      description = "Report archives with tasks older than this, e.g. 30d. Default: 90d.")
  private Duration archiveAge = Duration.ofDays(90);

  @Option(
      names = "--resume-from",
      paramLabel = "CURSOR",
      description = "Resume an interrupted check from the cursor it printed.")
  private @Nullable String resumeFrom;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ConfirmationPrompt confirmation;

  @Override
  protected void check() {
    if (!repair && (removeUnreadable || trimArchives)) {
      throw CliException.usage(
          "--remove-unreadable and --trim-archives need --repair, because they delete tasks",
          "Add --repair, or remove these options.");
    }
    doctorOptions();
  }

  private DoctorOptions doctorOptions() {
    DoctorOptions.Builder options = repair ? DoctorOptions.repair() : DoctorOptions.dryRun();
    queues.forEach(options::queue);
    if (removeUnreadable) {
      options.removeUnreadable();
    }
    if (trimArchives) {
      options.trimArchives();
    }
    return options.archiveLimits(archiveSize, archiveAge).resumeFrom(resumeFrom).build();
  }

  @Override
  protected int run(Session session) {
    if ((removeUnreadable || trimArchives)
        && !confirmation.ask(session, "This may delete tasks. Continue?")) {
      return ExitCode.FAILED;
    }
    Diagnosis diagnosis;
    try (ProgressBar bar = session.progress();
        ShutdownSignal interruption = ShutdownSignal.watch()) {
      diagnosis =
          session
              .inspector()
              .doctor(
                  doctorOptions(),
                  progress -> {
                    bar.show(progress.step(), progress.examined(), 0);
                    return !interruption.isAsked();
                  });
    }
    show(session.printer(), diagnosis);
    diagnosis.problems().forEach(problem -> session.note("asynq: " + problem));
    if (diagnosis.resumeFrom() != null) {
      session.note("Incomplete. Resume with --resume-from '%s'".formatted(diagnosis.resumeFrom()));
    }
    return diagnosis.isHealthy() ? ExitCode.DONE : ExitCode.FAILED;
  }

  @Override
  protected boolean isWatchable() {
    return !repair;
  }

  private void show(Printer printer, Diagnosis diagnosis) {
    if (printer.format() == OutputFormat.JSON) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put("healthy", diagnosis.isHealthy());
      document.put("complete", diagnosis.isComplete());
      document.put("examined", diagnosis.examined());
      document.put("findings", Printer.objects(diagnosis.findings(), columns()));
      document.put("problems", diagnosis.problems());
      printer.json(document);
      return;
    }
    printer.list(
        diagnosis.findings(),
        columns(),
        "No inconsistencies found in %,d entries.".formatted(diagnosis.examined()));
    if (!diagnosis.findings().isEmpty()) {
      printer.line("");
      diagnosis.findings().stream()
          .map(Finding::kind)
          .distinct()
          .forEach(
              kind ->
                  printer.line(
                      "%s: %s; %s. Repair: %s."
                          .formatted(kind.word(), kind.what(), kind.why(), kind.repair())));
      if (!repair) {
        printer.line("");
        printer.line("Run 'asynq doctor --repair' to repair them.");
      }
    }
  }

  private static List<Column<Finding>> columns() {
    return List.of(
        Column.of("Finding", "kind", finding -> finding.kind().word()),
        Column.<Finding>of(
                "Queue",
                "queue",
                finding -> finding.queue() == null ? null : finding.queue().value())
            .shownAs(finding -> finding.queue() == null ? "-" : finding.queue().value()),
        Column.count("Found", "found", Finding::count),
        Column.count("Repaired", "repaired", Finding::repaired),
        Column.<Finding>of("Examples", "sample", Finding::sample)
            .shownAs(finding -> String.join(" ", finding.sample()))
            .mayBeCut());
  }
}
