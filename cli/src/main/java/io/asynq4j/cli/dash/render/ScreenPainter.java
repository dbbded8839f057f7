package io.asynq4j.cli.dash.render;

import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.model.ConfirmDialog;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.model.StatusMessage;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.view.HelpView;
import io.asynq4j.cli.dash.view.HistoryView;
import io.asynq4j.cli.dash.view.ListView;
import io.asynq4j.cli.dash.view.QueueView;
import io.asynq4j.cli.dash.view.QueuesView;
import io.asynq4j.cli.dash.view.RedisView;
import io.asynq4j.cli.dash.view.ScheduleView;
import io.asynq4j.cli.dash.view.SchedulesView;
import io.asynq4j.cli.dash.view.ServerView;
import io.asynq4j.cli.dash.view.ServersView;
import io.asynq4j.cli.dash.view.TaskView;
import io.asynq4j.cli.dash.view.TextView;
import io.asynq4j.cli.dash.view.View;
import io.asynq4j.inspect.TaskAction;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Paints a model onto a grid: the frame itself, the views with their own painters. */
public final class ScreenPainter {

  /** First row between menu and message. */
  static final int BODY = 2;

  private static final int MAX_REPORTED = 4;

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss z", Locale.ROOT);

  private ScreenPainter() {}

  public static CharacterGrid paint(DashModel model) {
    CharacterGrid grid = new CharacterGrid(model.size());
    if (model.size().isTooSmall()) {
      grid.put(0, 0, "asynq dash needs " + model.size().needed(), Style.BOLD);
      grid.put(0, 1, "enlarge the window, or press q", Style.PLAIN);
      return grid;
    }
    title(grid, model);
    menu(grid, model);
    body(grid, model);
    messageLine(grid, model);
    grid.put(0, grid.height() - 1, hints(model.view()));
    return grid;
  }

  private static void title(CharacterGrid grid, DashModel model) {
    String banner = model.health().banner(model.now());
    if (banner != null) {
      grid.fill(0, " " + banner, Style.BANNER);
      return;
    }
    String right =
        (model.health().dataAt() == null
                ? "connecting …  "
                : "ping " + CompactFormatter.rate(model.health().ping().toNanos() / 1e6) + " ms  ")
            + CLOCK.format(model.now().atZone(model.zone()))
            + " ";
    grid.fill(0, " asynq dash  " + model.where(), Style.TITLE);
    grid.put(grid.width() - TerminalText.width(right) - 1, 0, " " + right, Style.TITLE);
  }

  private static void menu(CharacterGrid grid, DashModel model) {
    View main = model.views().size() > 1 ? model.views().get(1) : model.views().get(0);
    int x = 1;
    x = tab(grid, x, "1 Queues", isQueues(main));
    x = tab(grid, x, "2 Servers", main instanceof ServersView);
    x = tab(grid, x, "3 Schedules", main instanceof SchedulesView);
    x = tab(grid, x, "4 Redis", main instanceof RedisView);
    x = tab(grid, x, "? Help", model.view() instanceof HelpView);
    if (model.views().size() > 2 || isOfQueue(model.view())) {
      String path = TerminalText.cut("› " + model.view().title(), grid.width() - x - 1);
      grid.put(grid.width() - TerminalText.width(path) - 1, 1, path, Style.BOLD);
    }
  }

  private static boolean isQueues(View main) {
    return main instanceof QueuesView || isOfQueue(main);
  }

  private static boolean isOfQueue(View view) {
    return view instanceof QueueView || view instanceof HistoryView;
  }

  private static int tab(CharacterGrid grid, int x, String text, boolean isShown) {
    return grid.put(
        x, 1, isShown ? "[" + text + "]" : " " + text + " ", isShown ? Style.TAB : Style.DIM);
  }

  private static void body(CharacterGrid grid, DashModel model) {
    View view = model.view();
    if (view instanceof TextView text) {
      scrolled(grid, model, text);
    } else if (view instanceof QueuesView queues) {
      QueuesPainter.paint(grid, model, queues);
    } else if (view instanceof QueueView queue) {
      QueuePainter.paint(grid, model, queue);
    } else if (view instanceof ServersView servers) {
      ServersPainter.paint(grid, model, servers);
    } else if (view instanceof ServerView server) {
      ServersPainter.paint(grid, model, server);
    } else if (view instanceof SchedulesView schedules) {
      SchedulesPainter.paint(grid, model, schedules);
    } else if (view instanceof ScheduleView schedule) {
      SchedulesPainter.paint(grid, model, schedule);
    } else if (view instanceof RedisView redis) {
      RedisPainter.paint(grid, model, redis);
    }
  }

  /** Lines of a scrollable text view. */
  public static List<List<StyledText>> lines(DashModel model, TextView view) {
    if (view instanceof TaskView task) {
      return TaskViewText.lines(model, task);
    }
    return view instanceof HistoryView history
        ? HistoryViewText.lines(model, history)
        : HelpViewText.lines();
  }

  private static void scrolled(CharacterGrid grid, DashModel model, TextView view) {
    List<List<StyledText>> lines = lines(model, view);
    int rows = model.size().body();
    int top = Math.min(view.top(), Math.max(0, lines.size() - rows));
    for (int i = 0; i < Math.min(rows, lines.size() - top); i++) {
      grid.put(1, BODY + i, lines.get(top + i));
    }
    if (lines.size() > rows && isSilent(model)) {
      String place =
          " %d–%d of %d ".formatted(top + 1, Math.min(lines.size(), top + rows), lines.size());
      grid.put(grid.width() - place.length() - 1, grid.height() - 2, place, Style.DIM);
    }
  }

  /** Shown instead of a list without rows. */
  static void empty(
      CharacterGrid grid,
      int y,
      DashModel model,
      boolean isKnown,
      @Nullable String why,
      String none) {
    String text =
        why != null ? why : isKnown ? none : model.health().problem() == null ? "Loading …" : "";
    int row = y;
    for (String line : PayloadRenderer.wrapped(text, grid.width() - 4)) {
      grid.put(2, row++, line, why == null ? Style.DIM : Style.BAD);
    }
  }

  /** Whether the line above the hints is free. */
  private static boolean isSilent(DashModel model) {
    return model.question() == null
        && model.prompt() == null
        && model.message() == null
        && model.health().problem() == null;
  }

  /** Line above the hints: a confirmation, the prompt or a message. */
  private static void messageLine(CharacterGrid grid, DashModel model) {
    int y = grid.height() - 2;
    ConfirmDialog question = model.question();
    StatusMessage message = model.message();
    if (question != null) {
      List<StyledText> choices = choices(question);
      int width = choices.stream().mapToInt(span -> span.text().length()).sum();
      String text = " " + TerminalText.cut(question.text(), grid.width() - width - 2) + " ";
      grid.put(grid.put(0, y, text, Style.WARN), y, choices);
    } else if (model.prompt() != null) {
      // Show the end of the text, where the cursor is.
      String typed = TerminalText.fit(model.prompt());
      int hidden = Math.max(0, typed.length() - grid.width() + 4);
      List<StyledText> line =
          List.of(
              StyledText.bold(" /"),
              StyledText.plain(typed.substring(hidden)),
              new StyledText(" ", Style.SELECTED));
      grid.put(0, y, line);
    } else if (message != null) {
      message(grid, message.text(), message.isGood() ? Style.GOOD : Style.BAD);
    } else if (model.health().problem() != null) {
      message(grid, model.health().problem(), Style.BAD);
    } else if (model.view() instanceof ListView rows && !rows.search().isEmpty()) {
      grid.put(
          0,
          y,
          List.of(
              StyledText.dim(" search: "),
              StyledText.bold(rows.search()),
              StyledText.dim("  (Esc clears it)")));
    }
  }

  /** A sentence that is too long for one line also uses lines above. */
  private static void message(CharacterGrid grid, String text, Style style) {
    List<String> lines = PayloadRenderer.wrapped(text, grid.width() - 2);
    List<String> shown = lines.subList(0, Math.min(MAX_REPORTED, lines.size()));
    int y = grid.height() - 1 - shown.size();
    for (String line : shown) {
      grid.fill(y++, " " + line, style);
    }
  }

  private static List<StyledText> choices(ConfirmDialog question) {
    List<StyledText> spans = new ArrayList<>();
    question
        .choices()
        .forEach(
            choice -> {
              spans.add(StyledText.bold(" " + choice.key()));
              spans.add(StyledText.plain(" " + choice.label()));
            });
    spans.add(StyledText.bold("  n"));
    spans.add(StyledText.plain(" no"));
    return spans;
  }

  private static List<StyledText> hints(View view) {
    List<StyledText> spans = new ArrayList<>();
    for (String hint : keys(view).split("\\|", -1)) {
      int blank = hint.indexOf(' ');
      spans.add(StyledText.bold(" " + hint.substring(0, blank)));
      spans.add(StyledText.dim(hint.substring(blank) + " "));
    }
    return spans;
  }

  private static String actionKeys(TaskState state) {
    return Stream.of(TaskAction.RUN, TaskAction.ARCHIVE, TaskAction.DELETE, TaskAction.CANCEL)
        .filter(action -> action.isAllowedIn(state))
        .map(action -> action.word().charAt(0) + " " + action.word())
        .collect(Collectors.joining("|"));
  }

  private static String keys(View view) {
    if (view instanceof QueuesView) {
      return "Enter open|P pause/resume|/ search|f filter|s sort|H history|q quit";
    } else if (view instanceof QueueView queue) {
      String does =
          queue.state() == TaskState.ACTIVE
              ? actionKeys(queue.state()) + "|H history"
              : actionKeys(queue.state());
      return queue.listsGroups()
          ? "Enter open|←→ state|/ search|P pause/resume|H history|q back"
          : "←→ state|n/p page|/ search|Space mark|" + does + "|q back";
    } else if (view instanceof TaskView) {
      return "↑↓ scroll|v text/json/hex|r run|a archive|d delete|c cancel|q back";
    } else if (view instanceof ServersView || view instanceof ServerView) {
      return "Enter open|z quiet|x stop|/ search|R refresh|q back";
    } else if (view instanceof SchedulesView || view instanceof ScheduleView) {
      return "Enter open|P pause/resume|r run now|n/p page|q back";
    }
    return "↑↓ scroll|q back";
  }
}
