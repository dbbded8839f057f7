package io.asynq4j.cli.dash.render;

import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Charts;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.Table;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.view.RedisView;
import io.asynq4j.internal.text.ByteSizeFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Paints the INFO values of Redis: the most important on top, all of them below. */
final class RedisPainter {

  private static final int VALUE = 13;

  private RedisPainter() {}

  static void paint(CharacterGrid grid, DashModel model, RedisView view) {
    int y = ScreenPainter.BODY;
    Map<String, String> info = view.info();
    if (info == null) {
      ScreenPainter.empty(grid, y, model, /* isKnown= */ false, view.nothing(), "");
      return;
    }
    fact(
        grid,
        y,
        "version",
        text(info, "redis_version")
            + ", "
            + text(info, "redis_mode")
            + ", "
            + text(info, "role")
            + ", up "
            + CompactFormatter.age(Duration.ofSeconds(number(info, "uptime_in_seconds"))));
    long used = number(info, "used_memory");
    long most = number(info, "maxmemory");
    List<StyledText> memory = new ArrayList<>();
    memory.add(StyledText.plain(ByteSizeFormat.approximate(used) + " used, "));
    memory.add(
        StyledText.plain(ByteSizeFormat.approximate(number(info, "used_memory_peak")) + " peak, "));
    if (most > 0) {
      memory.add(StyledText.plain("limit " + ByteSizeFormat.approximate(most) + " "));
      memory.addAll(Charts.gauge(used, most, 10));
    } else {
      memory.add(StyledText.plain("no limit"));
    }
    label(grid, y + 1, "memory");
    grid.put(VALUE, y + 1, memory);
    String policy = text(info, "maxmemory_policy");
    label(grid, y + 2, "eviction");
    grid.put(
        VALUE,
        y + 2,
        policy.equals("noeviction") || policy.equals(CompactFormatter.NONE) || most == 0
            ? List.of(StyledText.plain(policy))
            : List.of(new StyledText(policy + ": may lose tasks; set noeviction", Style.BAD)));
    fact(
        grid,
        y + 3,
        "load",
        CompactFormatter.count(number(info, "instantaneous_ops_per_sec"))
            + " commands/s, "
            + CompactFormatter.count(number(info, "connected_clients"))
            + " clients, "
            + CompactFormatter.count(number(info, "blocked_clients"))
            + " blocked");
    fact(
        grid,
        y + 4,
        "durability",
        (text(info, "aof_enabled").equals("1") ? "append-only file" : "no append-only file")
            + ", "
            + CompactFormatter.count(number(info, "rdb_changes_since_last_save"))
            + " changes since the last snapshot, "
            + CompactFormatter.count(number(info, "connected_slaves"))
            + " replicas");
    Table table =
        new Table(
            grid.width(),
            List.of(Table.Column.left("INFO", 34, 10), Table.Column.flexible("VALUE", 10, 9)));
    ScrollableTable<String> listing =
        new ScrollableTable<>(
            table, view.keys(), key -> List.of(Table.text(key), Table.text(text(info, key))));
    if (!listing.paint(grid, model, view, y + 6)) {
      ScreenPainter.empty(grid, y + 7, model, /* isKnown= */ true, null, "No matching values.");
    }
  }

  private static void label(CharacterGrid grid, int y, String label) {
    grid.put(1, y, label, Style.DIM);
  }

  private static void fact(CharacterGrid grid, int y, String label, String text) {
    label(grid, y, label);
    grid.put(VALUE, y, TerminalText.cut(text, grid.width() - VALUE - 1), Style.PLAIN);
  }

  private static String text(Map<String, String> info, String key) {
    return info.getOrDefault(key, CompactFormatter.NONE);
  }

  private static long number(Map<String, String> info, String key) {
    try {
      return Long.parseLong(info.getOrDefault(key, "0"));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
