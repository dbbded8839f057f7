package io.asynq4j.cli.dash.input;

import io.asynq4j.QueueName;
import io.asynq4j.cli.dash.model.ConfirmDialog;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.model.OperatorAction;
import io.asynq4j.cli.dash.model.SideEffect;
import io.asynq4j.cli.dash.render.ScreenPainter;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.view.HelpView;
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
import io.asynq4j.inspect.ScheduleSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Handles keys: a pure function from a model and a key to the next model. */
public final class KeyController {

  private KeyController() {}

  public static Transition press(DashModel model, Key key) {
    if (key.code() == Key.Code.QUIT) {
      return new Transition(model, new SideEffect.Quit());
    } else if (key.code() == Key.Code.REDRAW) {
      return new Transition(model, new SideEffect.Redraw());
    } else if (model.question() != null) {
      return answered(model, model.question(), key);
    } else if (model.prompt() != null) {
      return Transition.to(SearchPrompt.typed(model, model.prompt(), key));
    }
    DashModel silent = model.silent();
    if (key.code() == Key.Code.CHARACTER) {
      return character(silent, key.character());
    }
    return other(silent, key.code());
  }

  // ---- confirmation

  private static Transition answered(DashModel model, ConfirmDialog question, Key key) {
    Optional<OperatorAction> action =
        key.code() == Key.Code.CHARACTER ? question.chosen(key.character()) : Optional.empty();
    if (action.isPresent()) {
      return new Transition(
          unmarked(model).asking(null).saying("Working …", /* isGood= */ true),
          new SideEffect.Act(action.get()));
    }
    boolean isNo =
        key.code() == Key.Code.ESCAPE
            || key.equals(Key.of('n'))
            || key.equals(Key.of('N'))
            || key.equals(Key.of('q'));
    // Any other key may be a typo: keep asking.
    return Transition.to(
        isNo ? model.asking(null).saying("Cancelled. Nothing was changed.", true) : model);
  }

  private static DashModel unmarked(DashModel model) {
    return model.view() instanceof QueueView queue ? model.showing(queue.marking(Set.of())) : model;
  }

  // ---- keys with the same meaning in all views

  private static Transition character(DashModel model, char c) {
    View view = model.view();
    switch (c) {
      case '?' -> {
        return Transition.to(view instanceof HelpView ? model.back() : model.into(new HelpView(0)));
      }
      case '1' -> {
        return Transition.to(model.atMain(QueuesView.start()));
      }
      case '2' -> {
        return Transition.to(model.atMain(ServersView.start()));
      }
      case '3' -> {
        return Transition.to(model.atMain(SchedulesView.start()));
      }
      case '4' -> {
        return Transition.to(model.atMain(RedisView.start()));
      }
      case 'q' -> {
        return back(model);
      }
      case 'j' -> {
        return other(model, Key.Code.DOWN);
      }
      case 'k' -> {
        return other(model, Key.Code.UP);
      }
      case 'h' -> {
        return other(model, Key.Code.LEFT);
      }
      case 'l' -> {
        return other(model, Key.Code.RIGHT);
      }
      case 'g' -> {
        return other(model, Key.Code.HOME);
      }
      case 'G' -> {
        return other(model, Key.Code.END);
      }
      case 'n' -> {
        return other(model, Key.Code.PAGE_DOWN);
      }
      case 'p' -> {
        return other(model, Key.Code.PAGE_UP);
      }
      case 'R' -> {
        return other(model, Key.Code.REFRESH);
      }
      case '/' -> {
        return Transition.to(
            view instanceof ListView rows && !(view instanceof ScheduleView)
                ? model.typing(rows.search())
                : model.saying("This view has no search.", true));
      }
      default -> {
        return ViewKeyBindings.press(model, c);
      }
    }
  }

  private static Transition back(DashModel model) {
    if (model.view() instanceof QueueView queue && queue.group() != null) {
      return Transition.to(model.showing(queue.outOfGroup()));
    }
    return model.isAtTop()
        ? new Transition(model, new SideEffect.Quit())
        : Transition.to(model.back());
  }

  private static Transition other(DashModel model, Key.Code code) {
    View view = model.view();
    switch (code) {
      case ESCAPE -> {
        // One step at a time: clear the marks, then the search, then close the view.
        if (view instanceof QueueView queue && !queue.marked().isEmpty()) {
          return Transition.to(unmarked(model));
        }
        boolean isSearching = view instanceof ListView rows && !rows.search().isEmpty();
        return isSearching ? Transition.to(SearchPrompt.searching(model, "")) : back(model);
      }
      case ENTER -> {
        return Transition.to(enter(model));
      }
      case REFRESH -> {
        return new Transition(model.saying("Refreshing …", true), new SideEffect.Refresh());
      }
      case LEFT, RIGHT -> {
        return Transition.to(
            view instanceof QueueView queue
                ? model.showing(queue.nextState(code == Key.Code.RIGHT ? 1 : -1))
                : main(model, code == Key.Code.RIGHT ? 1 : -1));
      }
      case TAB, BACK_TAB -> {
        return Transition.to(main(model, code == Key.Code.TAB ? 1 : -1));
      }
      default -> {
        return Transition.to(moved(model, code));
      }
    }
  }

  private static DashModel main(DashModel model, int by) {
    List<View> mains =
        List.of(QueuesView.start(), ServersView.start(), SchedulesView.start(), RedisView.start());
    View shown = model.views().size() > 1 ? model.views().get(1) : model.views().get(0);
    for (int i = 0; i < mains.size(); i++) {
      if (mains.get(i).getClass().equals(shown.getClass())) {
        return model.atMain(mains.get(Math.floorMod(i + by, mains.size())));
      }
    }
    return model.atMain(mains.get(Math.floorMod(by, mains.size())));
  }

  private static DashModel moved(DashModel model, Key.Code code) {
    ScreenSize size = model.size();
    if (model.view() instanceof TextView text) {
      int lines = ScreenPainter.lines(model, text).size();
      int last = Math.max(0, lines - size.body());
      int top = Math.min(text.top(), last);
      int wanted =
          switch (code) {
            case UP -> top - 1;
            case DOWN -> top + 1;
            case PAGE_UP -> top - size.body();
            case PAGE_DOWN -> top + size.body();
            case HOME -> 0;
            case END -> last;
            default -> top;
          };
      return model.showing(text.from(Math.max(0, Math.min(last, wanted))));
    }
    ListView rows = (ListView) model.view();
    return switch (code) {
      case UP -> model.showing(rows.moved(-1, size));
      case DOWN -> model.showing(rows.moved(1, size));
      case PAGE_UP -> page(model, rows, -1);
      case PAGE_DOWN -> page(model, rows, 1);
      case HOME -> model.showing(rows.moved(-rows.keys().size() - 1, size));
      case END -> model.showing(rows.moved(rows.keys().size() + 1, size));
      default -> model;
    };
  }

  private static DashModel page(DashModel model, ListView rows, int by) {
    ScreenSize size = model.size();
    if (rows instanceof QueueView queue && !queue.listsGroups()) {
      if (by > 0) {
        return queue.hasNextPage(size)
            ? model.showing(queue.nextPage(size))
            : model.saying("This is the last page.", true);
      }
      return queue.hasPreviousPage()
          ? model.showing(queue.previousPage(size))
          : model.saying("This is the first page.", true);
    } else if (rows instanceof ScheduleView schedule) {
      return model.showing(schedule.page(by, size));
    }
    // At least two rows, because a single step wraps around.
    return model.showing(rows.moved(by * Math.max(2, rows.rows(size)), size));
  }

  private static DashModel enter(DashModel model) {
    if (!(model.view() instanceof ListView rows)) {
      return model;
    }
    Optional<String> selected = rows.selected(model.size());
    if (selected.isEmpty()) {
      return model;
    }
    String key = selected.get();
    if (rows instanceof QueuesView queues) {
      return queues.overview() == null
          ? model
          : model.into((QueueView) QueueView.of(key).with(queues.overview(), model.size()));
    } else if (rows instanceof QueueView queue) {
      return queue.listsGroups()
          ? model.showing(queue.inGroup(key))
          : model.into(TaskView.of(queue.name(), key));
    } else if (rows instanceof ServersView servers) {
      return model.into(ServerView.of(key, servers.servers()));
    } else if (rows instanceof ServerView server) {
      return server.worker(key).map(w -> model.into(TaskView.of(w.queue(), key))).orElse(model);
    } else if (rows instanceof SchedulesView) {
      return model.into(ScheduleView.of(key));
    } else if (rows instanceof ScheduleView schedule) {
      return model.into(TaskView.of(queueOf(schedule), key));
    }
    return model;
  }

  private static String queueOf(ScheduleView view) {
    ScheduleSnapshot schedule = view.answer() == null ? null : view.answer().schedule();
    QueueName queue = schedule == null ? null : schedule.options().queue();
    return queue == null ? "default" : queue.value();
  }
}
