package io.asynq4j.cli.dash.render;

import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.Charts;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.view.HistoryView;
import io.asynq4j.inspect.DayCount;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Daily counts of a queue, as lines with bars. */
final class HistoryViewText {

  private static final int DATE = 10;
  private static final int COUNT = 12;
  private static final int RATE = 8;
  private static final int GAP = 2;

  /** One blank on either side. */
  private static final int MARGIN = 2;

  private HistoryViewText() {}

  static List<List<StyledText>> lines(DashModel model, HistoryView view) {
    List<List<StyledText>> lines = new ArrayList<>();
    if (view.nothing() != null) {
      lines.add(List.of(new StyledText(view.nothing(), Style.BAD)));
      return lines;
    }
    if (view.answer() == null) {
      lines.add(List.of(StyledText.dim("Loading …")));
      return lines;
    }
    List<DayCount> days = view.answer().days();
    long most = days.stream().mapToLong(DayCount::processed).max().orElse(0);
    int bar = Math.max(4, model.size().width() - DATE - 2 * COUNT - RATE - GAP - MARGIN);
    lines.addAll(summary(view.queue(), days, model.size().width()));
    lines.add(
        List.of(
            StyledText.dim(
                TerminalText.pad("DAY (UTC)", DATE, false)
                    + TerminalText.pad("PROCESSED", COUNT, true)
                    + TerminalText.pad("FAILED", COUNT, true)
                    + TerminalText.pad("ERRORS", RATE, true))));
    days.forEach(day -> lines.add(line(day, most, bar)));
    return lines;
  }

  private static List<List<StyledText>> summary(String queue, List<DayCount> days, int width) {
    long processed = days.stream().mapToLong(DayCount::processed).sum();
    long failed = days.stream().mapToLong(DayCount::failed).sum();
    List<Double> oldestFirst =
        new ArrayList<>(days.stream().map(day -> (double) day.processed()).toList());
    Collections.reverse(oldestFirst);
    return List.of(
        List.of(
            StyledText.bold(TerminalText.cut(queue, width / 3)),
            StyledText.dim("  in %d days ".formatted(days.size())),
            StyledText.plain(CompactFormatter.count(processed)),
            StyledText.dim(" processed, "),
            new StyledText(CompactFormatter.count(failed), failed > 0 ? Style.BAD : Style.PLAIN),
            StyledText.dim(" failed (" + CompactFormatter.percent(failed, processed) + ")")),
        List.of(
            new StyledText(
                Charts.sparkline(oldestFirst, Math.min(days.size(), width - MARGIN)), Style.GOOD)),
        List.of());
  }

  private static List<StyledText> line(DayCount day, long most, int bar) {
    List<StyledText> line = new ArrayList<>();
    line.add(StyledText.plain(TerminalText.pad(day.date().toString(), DATE, false)));
    line.add(
        StyledText.plain(TerminalText.pad(CompactFormatter.count(day.processed()), COUNT, true)));
    line.add(
        new StyledText(
            TerminalText.pad(CompactFormatter.count(day.failed()), COUNT, true),
            day.failed() > 0 ? Style.BAD : Style.PLAIN));
    line.add(
        StyledText.plain(
            TerminalText.pad(CompactFormatter.percent(day.failed(), day.processed()), RATE, true)));
    line.add(StyledText.plain(" ".repeat(GAP)));
    line.addAll(Charts.parts(day.processed() - day.failed(), day.failed(), most, bar));
    return line;
  }
}
