package io.asynq4j.cli.dash;

import io.asynq4j.inspect.DayCount;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What was done with the tasks of a queue on each day, in lines with bars. */
final class HistoryText {

  private static final int DATE = 10;
  private static final int COUNT = 12;
  private static final int RATE = 8;
  private static final int GAP = 2;

  /** A blank on either side. */
  private static final int MARGIN = 2;

  private HistoryText() {}

  static List<List<Span>> lines(DashModel model, HistoryView view) {
    List<List<Span>> lines = new ArrayList<>();
    if (view.nothing() != null) {
      lines.add(List.of(new Span(view.nothing(), Style.BAD)));
      return lines;
    }
    if (view.answer() == null) {
      lines.add(List.of(Span.dim("Looking …")));
      return lines;
    }
    List<DayCount> days = view.answer().days();
    long most = days.stream().mapToLong(DayCount::processed).max().orElse(0);
    int bar = Math.max(4, model.size().width() - DATE - 2 * COUNT - RATE - GAP - MARGIN);
    lines.addAll(summary(view.queue(), days, model.size().width()));
    lines.add(
        List.of(
            Span.dim(
                TerminalText.pad("DAY (UTC)", DATE, false)
                    + TerminalText.pad("PROCESSED", COUNT, true)
                    + TerminalText.pad("FAILED", COUNT, true)
                    + TerminalText.pad("ERRORS", RATE, true))));
    days.forEach(day -> lines.add(line(day, most, bar)));
    return lines;
  }

  private static List<List<Span>> summary(String queue, List<DayCount> days, int width) {
    long processed = days.stream().mapToLong(DayCount::processed).sum();
    long failed = days.stream().mapToLong(DayCount::failed).sum();
    List<Double> oldestFirst =
        new ArrayList<>(days.stream().map(day -> (double) day.processed()).toList());
    Collections.reverse(oldestFirst);
    return List.of(
        List.of(
            Span.bold(TerminalText.cut(queue, width / 3)),
            Span.dim("  in %d days ".formatted(days.size())),
            Span.plain(CompactFormatter.count(processed)),
            Span.dim(" processed, "),
            new Span(CompactFormatter.count(failed), failed > 0 ? Style.BAD : Style.PLAIN),
            Span.dim(" failed (" + CompactFormatter.percent(failed, processed) + ")")),
        List.of(
            new Span(
                Charts.sparkline(oldestFirst, Math.min(days.size(), width - MARGIN)), Style.GOOD)),
        List.of());
  }

  private static List<Span> line(DayCount day, long most, int bar) {
    List<Span> line = new ArrayList<>();
    line.add(Span.plain(TerminalText.pad(day.date().toString(), DATE, false)));
    line.add(Span.plain(TerminalText.pad(CompactFormatter.count(day.processed()), COUNT, true)));
    line.add(
        new Span(
            TerminalText.pad(CompactFormatter.count(day.failed()), COUNT, true),
            day.failed() > 0 ? Style.BAD : Style.PLAIN));
    line.add(
        Span.plain(
            TerminalText.pad(CompactFormatter.percent(day.failed(), day.processed()), RATE, true)));
    line.add(Span.plain(" ".repeat(GAP)));
    line.addAll(Charts.parts(day.processed() - day.failed(), day.failed(), most, bar));
    return line;
  }
}
