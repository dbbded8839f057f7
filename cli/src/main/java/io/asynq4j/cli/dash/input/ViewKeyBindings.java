package io.asynq4j.cli.dash.input;

import io.asynq4j.AfterCancel;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.model.ConfirmDialog;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.model.OperatorAction;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.view.HistoryView;
import io.asynq4j.cli.dash.view.ListView;
import io.asynq4j.cli.dash.view.QueueView;
import io.asynq4j.cli.dash.view.QueuesView;
import io.asynq4j.cli.dash.view.ScheduleView;
import io.asynq4j.cli.dash.view.SchedulesView;
import io.asynq4j.cli.dash.view.ServerView;
import io.asynq4j.cli.dash.view.ServersView;
import io.asynq4j.cli.dash.view.TaskView;
import io.asynq4j.cli.dash.view.View;
import io.asynq4j.inspect.ScheduleSnapshot;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.TaskAction;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keys with a meaning in a single view, and the confirmations they ask for. */
final class ViewKeyBindings {

  private ViewKeyBindings() {}

  static Transition press(DashModel model, char c) {
    View view = model.view();
    if (view instanceof QueuesView queues) {
      return Transition.to(onQueues(model, queues, c));
    } else if (view instanceof QueueView queue) {
      return Transition.to(onQueue(model, queue, c));
    } else if (view instanceof TaskView task) {
      return Transition.to(onTask(model, task, c));
    } else if (view instanceof ServersView servers) {
      return Transition.to(
          servers
              .selected(model.size())
              .map(id -> onServer(model, id, server(servers.servers(), id), c))
              .orElse(model));
    } else if (view instanceof ServerView server) {
      return Transition.to(onServer(model, server.id(), server.server(), c));
    } else if (view instanceof SchedulesView schedules) {
      return Transition.to(
          schedules
              .selected(model.size())
              .flatMap(schedules::schedule)
              .map(one -> onSchedule(model, one, c))
              .orElse(model));
    } else if (view instanceof ScheduleView schedule
        && schedule.answer() != null
        && schedule.answer().schedule() != null) {
      return Transition.to(onSchedule(model, schedule.answer().schedule(), c));
    }
    return Transition.to(model);
  }

  private static DashModel onQueues(DashModel model, QueuesView queues, char c) {
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

  private static DashModel pauseOrResume(DashModel model, String queue, boolean isPaused) {
    return model.asking(
        isPaused
            ? ConfirmDialog.yesOrNo(
                "Resume queue \"" + queue + "\"?", new OperatorAction.ResumeQueue(queue))
            : ConfirmDialog.yesOrNo(
                "Pause queue \"" + queue + "\"?", new OperatorAction.PauseQueue(queue)));
  }

  private static DashModel onQueue(DashModel model, QueueView queue, char c) {
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
                      ? SearchPrompt.searching(model, "type:\"" + task.type() + "\"")
                      : SearchPrompt.searching(model, ""))
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

  /** Moves to the next row, so that several tasks are marked quickly. */
  private static ListView marked(QueueView queue, String id, ScreenSize size) {
    QueueView marked = queue.toggled(id);
    boolean isLast = queue.placeNow(size).index() == queue.keys().size() - 1;
    return isLast ? marked : marked.moved(1, size);
  }

  private static DashModel onTask(DashModel model, TaskView view, char c) {
    if (c == 'v') {
      return model.showing(view.as(view.form().next()));
    }
    TaskState state =
        view.answer() == null || view.nothing() != null ? null : view.answer().task().state();
    return onTasks(model, view.queue(), List.of(view.id()), state, c);
  }

  /**
   * Offers only actions that the state allows.
   *
   * @param state null if unknown; then tasks can only be deleted
   */
  private static DashModel onTasks(
      DashModel model, String queue, List<String> ids, @Nullable TaskState state, char c) {
    String what =
        (ids.size() == 1 ? "task " + ids.get(0) : ids.size() + " marked tasks")
            + " in queue \""
            + queue
            + "\"";
    return switch (c) {
      case 'r' ->
          isPossible(TaskAction.RUN, state)
              ? ask(
                  model,
                  "Run " + what + " now?",
                  each(ids, id -> new OperatorAction.RunTask(queue, id), "pending"))
              : refused(model, TaskAction.RUN, state);
      case 'a' ->
          isPossible(TaskAction.ARCHIVE, state)
              ? ask(
                  model,
                  "Archive " + what + "?",
                  each(
                      ids,
                      id -> new OperatorAction.ArchiveTask(queue, id),
                      TaskAction.ARCHIVE.done()))
              : refused(model, TaskAction.ARCHIVE, state);
      case 'd' ->
          state == null || isPossible(TaskAction.DELETE, state)
              ? ask(
                  model,
                  "Delete " + what + " permanently?",
                  each(
                      ids,
                      id -> new OperatorAction.DeleteTask(queue, id),
                      TaskAction.DELETE.done()))
              : refused(model, TaskAction.DELETE, state);
      case 'c' ->
          isPossible(TaskAction.CANCEL, state)
              ? cancel(model, what, queue, ids)
              : refused(model, TaskAction.CANCEL, state);
      default -> model;
    };
  }

  private static boolean isPossible(TaskAction action, @Nullable TaskState state) {
    return state != null && action.isAllowedIn(state);
  }

  private static OperatorAction each(
      List<String> ids, Function<String, OperatorAction> action, String done) {
    return ids.size() == 1
        ? action.apply(ids.get(0))
        : new OperatorAction.Many(ids.stream().map(action).toList(), done);
  }

  private static DashModel refused(DashModel model, TaskAction action, @Nullable TaskState state) {
    return model.saying(
        state == null
            ? "The task cannot be "
                + action.done()
                + ": it no longer exists, or its record is unreadable."
            : sentence(action.refusal(state)),
        false);
  }

  private static String sentence(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
  }

  private static DashModel ask(DashModel model, String question, OperatorAction action) {
    return model.asking(ConfirmDialog.yesOrNo(question, action));
  }

  private static DashModel cancel(DashModel model, String what, String queue, List<String> ids) {
    return model.asking(
        new ConfirmDialog(
            "Cancel " + what + "?",
            List.of(
                new ConfirmDialog.Choice(
                    'y', "yes, then retry", cancel(queue, ids, AfterCancel.RETRY)),
                new ConfirmDialog.Choice(
                    'a', "then archive", cancel(queue, ids, AfterCancel.ARCHIVE)),
                new ConfirmDialog.Choice(
                    'd', "then delete", cancel(queue, ids, AfterCancel.DELETE)))));
  }

  private static OperatorAction cancel(String queue, List<String> ids, AfterCancel then) {
    return each(ids, id -> new OperatorAction.CancelTask(queue, id, then), "being cancelled");
  }

  private static Optional<ServerSnapshot> server(
      @Nullable List<ServerSnapshot> servers, String id) {
    return servers == null
        ? Optional.empty()
        : servers.stream().filter(one -> one.id().equals(id)).findFirst();
  }

  private static DashModel onServer(
      DashModel model, String id, Optional<ServerSnapshot> server, char c) {
    if (server.isEmpty()) {
      return model;
    }
    String name = server.get().host() + ":" + server.get().pid();
    return switch (c) {
      case 'z' ->
          ask(
              model,
              "Make server " + name + " stop claiming tasks?",
              new OperatorAction.QuietServer(id));
      case 'x' -> ask(model, "Stop server " + name + "?", new OperatorAction.StopServer(id));
      default -> model;
    };
  }

  private static DashModel onSchedule(DashModel model, ScheduleSnapshot schedule, char c) {
    if (c != 'P' && c != 'r') {
      return model;
    } else if (!schedule.isRemembered()) {
      return model.saying(
          "Read-only: entries of Go schedulers and of schedulers without a leader.", false);
    }
    String id = schedule.id();
    if (c == 'r') {
      return ask(model, "Enqueue \"" + id + "\" now?", new OperatorAction.RunSchedule(id));
    }
    return schedule.pausedSince() == null
        ? ask(model, "Pause schedule \"" + id + "\"?", new OperatorAction.PauseSchedule(id))
        : ask(model, "Resume schedule \"" + id + "\"?", new OperatorAction.ResumeSchedule(id));
  }
}
