package io.asynq4j.cli.dash.screen;

import io.asynq4j.TaskState;
import io.asynq4j.cli.output.TaskStateOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Bars and sparklines of block characters. */
public final class Charts {

  private static final String LEVELS = "▁▂▃▄▅▆▇█";
  private static final String FULL = "█";

  private Charts() {}

  /**
   * Sparkline of the newest values, one character each, scaled to the highest. Only zero is drawn
   * as the lowest line.
   */
  public static String sparkline(List<Double> values, int width) {
    int count = Math.min(width, values.size());
    List<Double> shown = values.subList(values.size() - count, values.size());
    double most = shown.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    StringBuilder line = new StringBuilder(" ".repeat(width - count));
    for (double value : shown) {
      int highest = LEVELS.length() - 1;
      int level = most <= 0 ? 0 : (int) Math.ceil(value / most * highest);
      line.append(LEVELS.charAt(Math.max(0, Math.min(highest, level))));
    }
    return line.toString();
  }

  /**
   * Bar of the sizes of all states, scaled to the given maximum. Every state with tasks gets at
   * least one cell while there is room.
   */
  public static List<StyledText> bar(Map<TaskState, Long> sizes, long most, int width) {
    long total = sizes.values().stream().mapToLong(Long::longValue).sum();
    List<StyledText> bar = new ArrayList<>();
    int left = total == 0 ? 0 : (int) Math.max(1, Math.round((double) width * total / most));
    left = Math.min(left, width);
    int used = left;
    long rest = total;
    for (TaskState state : TaskStateOrder.IN_ORDER) {
      long size = sizes.getOrDefault(state, 0L);
      if (size == 0 || left == 0) {
        continue;
      }
      int cells = (int) Math.max(1, Math.round((double) left * size / rest));
      cells = Math.max(1, Math.min(cells, left - after(state, sizes)));
      bar.add(new StyledText(FULL.repeat(cells), Style.of(state)));
      left -= cells;
      rest -= size;
    }
    bar.add(StyledText.plain(" ".repeat(width - used + left)));
    return bar;
  }

  /** Number of later states that have tasks. */
  private static int after(TaskState state, Map<TaskState, Long> sizes) {
    return (int)
        TaskStateOrder.IN_ORDER
            .subList(TaskStateOrder.IN_ORDER.indexOf(state) + 1, TaskStateOrder.IN_ORDER.size())
            .stream()
            .filter(other -> sizes.getOrDefault(other, 0L) > 0)
            .count();
  }

  /** Bar of succeeded and failed attempts; each gets at least one cell while there is room. */
  public static List<StyledText> parts(long good, long bad, long most, int width) {
    int all = cells(good + bad, most, width);
    int failed = Math.min(bad > 0 && good > 0 ? all - 1 : all, cells(bad, most, width));
    // One cell for each.
    return bad > 0 && good > 0 && all == 1
        ? List.of(new StyledText(FULL, Style.BAD))
        : List.of(
            new StyledText(FULL.repeat(all - failed), Style.GOOD),
            new StyledText(FULL.repeat(failed), Style.BAD));
  }

  private static int cells(long part, long whole, int width) {
    return part <= 0 || whole <= 0
        ? 0
        : (int) Math.max(1, Math.min(width, Math.round((double) width * part / whole)));
  }

  /** Gauge of used capacity. */
  public static List<StyledText> gauge(long used, long of, int width) {
    int full = of <= 0 ? 0 : (int) Math.min(width, Math.round((double) width * used / of));
    if (used > 0 && full == 0) {
      full = 1;
    }
    Style style = of > 0 && used >= of ? Style.WARN : Style.GOOD;
    return List.of(
        new StyledText(FULL.repeat(full), style), StyledText.dim("░".repeat(width - full)));
  }
}
