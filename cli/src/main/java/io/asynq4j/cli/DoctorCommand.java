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

/** Finds what does not fit together in Redis, and puts it right. */
@Command(
    name = "doctor",
    description = {
      "Finds what does not fit together in Redis, and puts it right.",
      "May run at any time. Changes something only with --repair, and deletes no task unless",
      "--remove-unreadable or --trim-archives asks for it. Ends with 1 when something is amiss."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  asynq doctor", "  asynq doctor --queue mail --json", "  asynq doctor --repair"})
public final class DoctorCommand extends RedisCommand {

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Look only at this queue; may be given more than once.")
  private List<String> queues = List.of();

  @Option(names = "--repair", description = "Put right what is amiss.")
  private boolean repair;

  @Option(
      names = "--remove-unreadable",
      description = "Delete tasks that nobody can read, instead of archiving them.")
  private boolean removeUnreadable;

  @Option(
      names = "--trim-archives",
      description = "Delete the oldest archived tasks beyond the limits.")
  private boolean trimArchives;

  @Option(
      names = "--archive-size",
      paramLabel = "N",
      description = "How many tasks an archive may hold. Default: ${DEFAULT-VALUE}")
  private int archiveSize = 9_999;

  @Option(
      names = "--archive-age",
      paramLabel = "DURATION",
      description = "How old they may be. Default: 90d")
  private Duration archiveAge = Duration.ofDays(90);

  @Option(
      names = "--resume-from",
      paramLabel = "PLACE",
      description = "Go on where a visit was stopped, as it told.")
  private @Nullable String resumeFrom;

  @SuppressWarnings("NullAway.Init")
  @Mixin
  private ConfirmationPrompt confirmation;

  @Override
  protected void check() {
    if (!repair && (removeUnreadable || trimArchives)) {
      throw CliException.usage(
          "--remove-unreadable and --trim-archives delete tasks", "say --repair");
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
        && !confirmation.ask(session, "Tasks may be deleted. Go on?")) {
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
                  so -> {
                    bar.show(so.step(), so.examined(), 0);
                    return !interruption.isAsked();
                  });
    }
    show(session.printer(), diagnosis);
    diagnosis.problems().forEach(problem -> session.note("asynq: " + problem));
    if (diagnosis.resumeFrom() != null) {
      session.note(
          "Not at its end; go on with --resume-from '%s'".formatted(diagnosis.resumeFrom()));
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
        "Everything fits together: %,d entries were looked at.".formatted(diagnosis.examined()));
    if (!diagnosis.findings().isEmpty()) {
      printer.line("");
      diagnosis.findings().stream()
          .map(Finding::kind)
          .distinct()
          .forEach(
              kind ->
                  printer.line(
                      "%s: %s; %s. Repair: %s."
                          .formatted(kind, kind.what(), kind.why(), kind.repair())));
      if (!repair) {
        printer.line("");
        printer.line("'asynq doctor --repair' puts it right.");
      }
    }
  }

  private static List<Column<Finding>> columns() {
    return List.of(
        Column.of("Finding", "kind", finding -> finding.kind().name()),
        Column.<Finding>of(
                "Queue",
                "queue",
                finding -> finding.queue() == null ? null : finding.queue().value())
            .shownAs(finding -> finding.queue() == null ? "-" : finding.queue().value()),
        Column.count("Found", "found", Finding::count),
        Column.count("Repaired", "repaired", Finding::repaired),
        Column.<Finding>of("Among them", "sample", Finding::sample)
            .shownAs(finding -> String.join(" ", finding.sample()))
            .mayBeCut());
  }
}
