package io.asynq4j.cli.dash;

import io.asynq4j.AfterCancel;
import io.asynq4j.QueueName;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What keys do: a pure function from a model and a key to the next model. */
final class Controller {

  private Controller() {}

  static Step press(Model model, Key key) {
    if (key.code() == Key.Code.QUIT) {
      return new Step(model, new Effect.Quit());
    } else if (key.code() == Key.Code.REDRAW) {
      return new Step(model, new Effect.Redraw());
    } else if (model.question() != null) {
      return answered(model, model.question(), key);
    } else if (model.prompt() != null) {
      return Step.to(typed(model, model.prompt(), key));
    }
    Model silent = model.silent();
    if (key.code() == Key.Code.CHARACTER) {
      return character(silent, key.character());
    }
    return other(silent, key.code());
  }

  // ---- questions and prompts

  private static Step answered(Model model, Question question, Key key) {
    Optional<Action> action =
        key.code() == Key.Code.CHARACTER ? question.chosen(key.character()) : Optional.empty();
    if (action.isPresent()) {
      return new Step(
          unmarked(model).asking(null).saying("Working …", /* isGood= */ true),
          new Effect.Act(action.get()));
    }
    boolean isNo =
        key.code() == Key.Code.ESCAPE
            || key.equals(Key.of('n'))
            || key.equals(Key.of('N'))
            || key.equals(Key.of('q'));
    // Any other key may be a slip: the question stays.
    return Step.to(isNo ? model.asking(null).saying("Nothing was done.", true) : model);
  }

  private static Model unmarked(Model model) {
    return model.view() instanceof QueueView queue ? model.showing(queue.marking(Set.of())) : model;
  }

  private static Model typed(Model model, String prompt, Key key) {
    switch (key.code()) {
      case CHARACTER -> {
        return live(model, prompt + key.character());
      }
      case BACKSPACE -> {
        return prompt.isEmpty()
            ? live(model, "").typing(null)
            : live(model, prompt.substring(0, prompt.length() - 1));
      }
      case ENTER -> {
        return searching(model, prompt.strip()).typing(null);
      }
      case ESCAPE -> {
        return live(model, "").typing(null);
      }
      default -> {
        return model;
      }
    }
  }

  /**
   * Lists that are here as a whole are searched while one types; tasks only when it is complete.
   */
  private static Model live(Model model, String prompt) {
    Model typing = model.typing(prompt);
    return searchesRedis(model.view()) ? typing : searching(typing, prompt);
  }

  private static boolean searchesRedis(View view) {
    return view instanceof QueueView queue && !queue.listsGroups();
  }

  private static Model searching(Model model, String search) {
    if (!(model.view() instanceof RowsView rows) || rows.search().equals(search)) {
      return model;
    }
    if (searchesRedis(rows)) {
      try {
        Search.parse(search);
      } catch (IllegalArgumentException e) {
        return model.saying(String.valueOf(e.getMessage()), /* isGood= */ false);
      }
    }
    return model.showing(rows.searching(search));
  }

  // ---- keys that mean the same everywhere

  private static Step character(Model model, char c) {
    View view = model.view();
    switch (c) {
      case '?' -> {
        return Step.to(view instanceof HelpView ? model.back() : model.into(new HelpView(0)));
      }
      case '1' -> {
        return Step.to(model.atMain(QueuesView.start()));
      }
      case '2' -> {
        return Step.to(model.atMain(ServersView.start()));
      }
      case '3' -> {
        return Step.to(model.atMain(SchedulesView.start()));
      }
      case '4' -> {
        return Step.to(model.atMain(RedisView.start()));
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
        return Step.to(
            view instanceof RowsView rows && !(view instanceof ScheduleView)
                ? model.typing(rows.search())
                : model.saying("There is nothing to be searched here.", true));
      }
      default -> {
        return special(model, c);
      }
    }
  }

  private static Step back(Model model) {
    if (model.view() instanceof QueueView queue && queue.group() != null) {
      return Step.to(model.showing(queue.outOfGroup()));
    }
    return model.isAtTop() ? new Step(model, new Effect.Quit()) : Step.to(model.back());
  }

  private static Step other(Model model, Key.Code code) {
    View view = model.view();
    switch (code) {
      case ESCAPE -> {
        // One step after the other: first the marks go, then the search, then the view.
        if (view instanceof QueueView queue && !queue.marked().isEmpty()) {
          return Step.to(unmarked(model));
        }
        boolean isSearching = view instanceof RowsView rows && !rows.search().isEmpty();
        return isSearching ? Step.to(searching(model, "")) : back(model);
      }
      case ENTER -> {
        return Step.to(enter(model));
      }
      case REFRESH -> {
        return new Step(model.saying("Looking again …", true), new Effect.Refresh());
      }
      case LEFT, RIGHT -> {
        return Step.to(
            view instanceof QueueView queue
                ? model.showing(queue.nextState(code == Key.Code.RIGHT ? 1 : -1))
                : main(model, code == Key.Code.RIGHT ? 1 : -1));
      }
      case TAB, BACK_TAB -> {
        return Step.to(main(model, code == Key.Code.TAB ? 1 : -1));
      }
      default -> {
        return Step.to(moved(model, code));
      }
    }
  }

  private static Model main(Model model, int by) {
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

  private static Model moved(Model model, Key.Code code) {
    Size size = model.size();
    if (model.view() instanceof TextView text) {
      int lines = Painter.lines(model, text).size();
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
    RowsView rows = (RowsView) model.view();
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

  private static Model page(Model model, RowsView rows, int by) {
    Size size = model.size();
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
    // By two at least: by one would wrap around.
    return model.showing(rows.moved(by * Math.max(2, rows.rows(size)), size));
  }

  private static Model enter(Model model) {
    if (!(model.view() instanceof RowsView rows)) {
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

  // ---- keys of single views

  private static Step special(Model model, char c) {
    View view = model.view();
    if (view instanceof QueuesView queues) {
      return Step.to(onQueues(model, queues, c));
    } else if (view instanceof QueueView queue) {
      return Step.to(onQueue(model, queue, c));
    } else if (view instanceof TaskView task) {
      return Step.to(onTask(model, task, c));
    } else if (view instanceof ServersView servers) {
      return Step.to(
          servers
              .selected(model.size())
              .map(id -> onServer(model, id, server(servers.servers(), id), c))
              .orElse(model));
    } else if (view instanceof ServerView server) {
      return Step.to(onServer(model, server.id(), server.server(), c));
    } else if (view instanceof SchedulesView schedules) {
      return Step.to(
          schedules
              .selected(model.size())
              .flatMap(schedules::schedule)
              .map(one -> onSchedule(model, one, c))
              .orElse(model));
    } else if (view instanceof ScheduleView schedule
        && schedule.answer() != null
        && schedule.answer().schedule() != null) {
      return Step.to(onSchedule(model, schedule.answer().schedule(), c));
    }
    return Step.to(model);
  }

  private static Model onQueues(Model model, QueuesView queues, char c) {
    return switch (c) {
      case 's' -> model.showing(queues.sortedBy(queues.sort().next()));
      case 'f' -> model.showing(queues.showing(queues.only().next()));
      case 'H' ->
          queues.selected(model.size()).map(name -> model.into(HistoryView.of(name))).orElse(model);
      case 'P' ->
          queues.list().stream()
              .filter(row -> queues.selected(model.size()).equals(Optional.of(row.name())))
              .findFirst()
              .map(row -> pauseOrResume(model, row.name(), row.isPaused()))
              .orElse(model);
      default -> model;
    };
  }

  private static Model pauseOrResume(Model model, String queue, boolean isPaused) {
    return model.asking(
        isPaused
            ? Question.yesOrNo("Resume queue \"" + queue + "\"?", new Action.ResumeQueue(queue))
            : Question.yesOrNo("Pause queue \"" + queue + "\"?", new Action.PauseQueue(queue)));
  }

  private static Model onQueue(Model model, QueueView queue, char c) {
    if (c == 'P') {
      boolean isPaused = queue.row() != null && queue.row().isPaused();
      return pauseOrResume(model, queue.name(), isPaused);
    } else if (c == 'H') {
      return model.into(HistoryView.of(queue.name()));
    }
    Optional<String> selected = queue.selected(model.size());
    if (queue.listsGroups() || selected.isEmpty()) {
      return model;
    }
    String id = selected.get();
    if (c == 'f') {
      return queue
          .task(id)
          .map(
              task ->
                  queue.search().isEmpty()
                      ? searching(model, "type:\"" + task.type() + "\"")
                      : searching(model, ""))
          .orElse(model);
    }
    if (c == ' ') {
      return model.showing(marked(queue, id, model.size()));
    } else if (c == 'A') {
      return model.showing(queue.toggledAll());
    }
    List<String> ids =
        queue.marked().isEmpty()
            ? List.of(id)
            : queue.keys().stream().filter(queue.marked()::contains).toList();
    boolean areReadable = ids.stream().allMatch(one -> queue.task(one).isPresent());
    return onTasks(model, queue.name(), ids, areReadable ? queue.state() : null, c);
  }

  /** Goes on to the next row, so that several are marked quickly. */
  private static RowsView marked(QueueView queue, String id, Size size) {
    QueueView marked = queue.toggled(id);
    boolean isLast = queue.placeNow(size).index() == queue.keys().size() - 1;
    return isLast ? marked : marked.moved(1, size);
  }

  private static Model onTask(Model model, TaskView view, char c) {
    if (c == 'v') {
      return model.showing(view.as(view.form().next()));
    }
    TaskState state =
        view.answer() == null || view.nothing() != null ? null : view.answer().task().state();
    return onTasks(model, view.queue(), List.of(view.id()), state, c);
  }

  /**
   * Offers only what the state allows.
   *
   * @param state null when it is not known: then they can only be deleted
   */
  private static Model onTasks(
      Model model, String queue, List<String> ids, @Nullable TaskState state, char c) {
    String what =
        (ids.size() == 1 ? "task " + ids.get(0) : ids.size() + " marked tasks")
            + " of queue \""
            + queue
            + "\"";
    boolean isActive = state == TaskState.ACTIVE;
    return switch (c) {
      case 'r' ->
          state == null || isActive || state == TaskState.PENDING
              ? refused(model, "run", state)
              : ask(
                  model,
                  "Run " + what + " now?",
                  each(ids, id -> new Action.RunTask(queue, id), "pending now"));
      case 'a' ->
          state == null || isActive || state == TaskState.ARCHIVED
              ? refused(model, "archived", state)
              : ask(
                  model,
                  "Archive " + what + "?",
                  each(ids, id -> new Action.ArchiveTask(queue, id), "archived"));
      case 'd' ->
          isActive
              ? refused(model, "deleted", state)
              : ask(
                  model,
                  "Delete " + what + " for good?",
                  each(ids, id -> new Action.DeleteTask(queue, id), "deleted"));
      case 'c' -> isActive ? cancel(model, what, queue, ids) : refused(model, "cancelled", state);
      default -> model;
    };
  }

  private static Action each(List<String> ids, Function<String, Action> action, String done) {
    return ids.size() == 1
        ? action.apply(ids.get(0))
        : new Action.Many(ids.stream().map(action).toList(), done);
  }

  private static Model refused(Model model, String verb, @Nullable TaskState state) {
    if (state == null) {
      return model.saying("It cannot be " + verb + ": its record cannot be read.", false);
    }
    return model.saying(
        "%s %s task cannot be %s%s."
            .formatted(
                state == TaskState.ACTIVE || state == TaskState.ARCHIVED ? "An" : "A",
                state.word(),
                verb,
                state == TaskState.ACTIVE ? "; cancel it first (c)" : ""),
        false);
  }

  private static Model ask(Model model, String question, Action action) {
    return model.asking(Question.yesOrNo(question, action));
  }

  private static Model cancel(Model model, String what, String queue, List<String> ids) {
    return model.asking(
        new Question(
            "Cancel " + what + "?",
            List.of(
                new Question.Choice('y', "yes, and retry", cancel(queue, ids, AfterCancel.RETRY)),
                new Question.Choice('a', "and archive", cancel(queue, ids, AfterCancel.ARCHIVE)),
                new Question.Choice('d', "and delete", cancel(queue, ids, AfterCancel.DELETE)))));
  }

  private static Action cancel(String queue, List<String> ids, AfterCancel then) {
    return each(ids, id -> new Action.CancelTask(queue, id, then), "told to stop");
  }

  private static Optional<ServerSnapshot> server(
      @Nullable List<ServerSnapshot> servers, String id) {
    return servers == null
        ? Optional.empty()
        : servers.stream().filter(one -> one.id().equals(id)).findFirst();
  }

  private static Model onServer(Model model, String id, Optional<ServerSnapshot> server, char c) {
    if (server.isEmpty()) {
      return model;
    }
    String name = server.get().host() + ":" + server.get().pid();
    return switch (c) {
      case 'z' ->
          ask(model, "Have server " + name + " claim nothing more?", new Action.QuietServer(id));
      case 'x' -> ask(model, "Stop server " + name + "?", new Action.StopServer(id));
      default -> model;
    };
  }

  private static Model onSchedule(Model model, ScheduleSnapshot schedule, char c) {
    if (c != 'P' && c != 'r') {
      return model;
    } else if (!schedule.isRemembered()) {
      return model.saying(
          "Entries of Go schedulers, and of those without a leader, can only be looked at.", false);
    }
    String id = schedule.id();
    if (c == 'r') {
      return ask(model, "Enqueue \"" + id + "\" now?", new Action.RunSchedule(id));
    }
    return schedule.pausedSince() == null
        ? ask(model, "Pause schedule \"" + id + "\"?", new Action.PauseSchedule(id))
        : ask(model, "Resume schedule \"" + id + "\"?", new Action.ResumeSchedule(id));
  }
}
