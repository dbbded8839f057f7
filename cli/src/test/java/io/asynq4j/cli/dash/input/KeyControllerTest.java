package io.asynq4j.cli.dash.input;

import static io.asynq4j.cli.dash.SampleModels.press;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.SampleModels;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.model.OperatorAction;
import io.asynq4j.cli.dash.model.SideEffect;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.view.HelpView;
import io.asynq4j.cli.dash.view.ListView;
import io.asynq4j.cli.dash.view.QueueView;
import io.asynq4j.cli.dash.view.QueuesView;
import io.asynq4j.cli.dash.view.RedisView;
import io.asynq4j.cli.dash.view.SchedulesView;
import io.asynq4j.cli.dash.view.ServersView;
import io.asynq4j.cli.dash.view.TaskView;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.inspect.TaskAction;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeyControllerTest {

  private final DashModel queues = SampleModels.queues();

  private static @Nullable String selected(DashModel model) {
    return ((ListView) model.view()).selected(model.size()).orElse(null);
  }

  private static @Nullable SideEffect effect(DashModel model, char key) {
    return KeyController.press(model, Key.of(key)).effect();
  }

  /** Queue "mail", showing its tasks of a state. */
  private DashModel tasks(TaskState state) {
    DashModel mail = press(press(queues, "jj"), Key.Code.ENTER);
    QueueView view = (QueueView) mail.view();
    return SampleModels.withTasks(
        mail.showing(view.inState(state)), SampleModels.tasks(state, 0, 15), 40, "cursor-1");
  }

  @Test
  void arrowsAndLettersMoveWithWrapAround() {
    assertThat(selected(queues)).isEqualTo("critical");
    assertThat(selected(press(queues, Key.Code.DOWN))).isEqualTo("default");
    assertThat(selected(press(queues, "jj"))).isEqualTo("mail");
    assertThat(selected(press(queues, "jjj"))).isEqualTo("critical");
    assertThat(selected(press(queues, Key.Code.UP))).isEqualTo("mail");
    assertThat(selected(press(queues, "k"))).isEqualTo("mail");
    assertThat(selected(press(queues, "G"))).isEqualTo("mail");
    assertThat(selected(press(queues, "Gg"))).isEqualTo("critical");
  }

  @Test
  void theSelectionStaysWithItsRowWhenOthersComeAndGo() {
    DashModel atDefault = press(queues, "j");
    DashModel more =
        atDefault.heard(
            SampleModels.batch(
                SampleModels.overview(
                    List.of(
                        SampleModels.row("a-new-one", 1, 0, 0, null),
                        SampleModels.row("critical", 1, 0, 0, null),
                        SampleModels.row("default", 1, 0, 0, null))),
                null));

    assertThat(selected(more)).isEqualTo("default");
    DashModel gone =
        more.heard(
            SampleModels.batch(
                SampleModels.overview(List.of(SampleModels.row("critical", 1, 0, 0, null))), null));
    assertThat(selected(gone)).isEqualTo("critical");
  }

  @Test
  void enterOpensAndEscapeAndQGoBackAndQuitFromTheTop() {
    DashModel mail = press(press(queues, "jj"), Key.Code.ENTER);
    assertThat(mail.view()).isInstanceOf(QueueView.class);
    assertThat(mail.view().title()).isEqualTo("mail › active");
    assertThat(press(mail, "q").view()).isInstanceOf(QueuesView.class);
    assertThat(press(mail, Key.Code.ESCAPE).view()).isInstanceOf(QueuesView.class);
    assertThat(selected(press(mail, "q"))).isEqualTo("mail");
    assertThat(effect(queues, 'q')).isEqualTo(new SideEffect.Quit());
    assertThat(KeyController.press(queues, Key.of(Key.Code.ESCAPE)).effect())
        .isEqualTo(new SideEffect.Quit());
    assertThat(KeyController.press(mail, Key.of(Key.Code.QUIT)).effect())
        .isEqualTo(new SideEffect.Quit());
  }

  @Test
  void numbersAndTabGoToTheMainViews() {
    assertThat(press(queues, "2").view()).isInstanceOf(ServersView.class);
    assertThat(press(queues, "3").view()).isInstanceOf(SchedulesView.class);
    assertThat(press(queues, "4").view()).isInstanceOf(RedisView.class);
    assertThat(press(queues, "41").view()).isInstanceOf(QueuesView.class);
    assertThat(press(queues, Key.Code.TAB).view()).isInstanceOf(ServersView.class);
    assertThat(press(queues, Key.Code.BACK_TAB).view()).isInstanceOf(RedisView.class);
    assertThat(press(press(queues, "4"), Key.Code.TAB).view()).isInstanceOf(QueuesView.class);
    assertThat(press(queues, "2q").view()).isInstanceOf(QueuesView.class);
  }

  @Test
  void helpOpensAndCloses() {
    assertThat(press(queues, "?").view()).isInstanceOf(HelpView.class);
    assertThat(press(queues, "??").view()).isInstanceOf(QueuesView.class);
    DashModel end = press(press(queues, "?"), Key.Code.END);
    assertThat(SampleModels.text(end)).contains("ask for confirmation");
    assertThat(press(press(end, "k"), "j").view()).isEqualTo(end.view());
  }

  @Test
  void leftAndRightGoThroughTheStatesOfAQueue() {
    DashModel mail = press(press(queues, "jj"), Key.Code.ENTER);
    assertThat(press(mail, "l").view().title()).isEqualTo("mail › pending");
    assertThat(press(mail, Key.Code.LEFT).view().title()).isEqualTo("mail › completed");
    assertThat(press(mail, "lllllll").view().title()).isEqualTo("mail › active");
  }

  @Test
  void pagingStopsAtTheFirstAndLastPage() {
    DashModel first = tasks(TaskState.PENDING);
    assertThat(first.wish())
        .isEqualTo(new Query.Tasks("mail", TaskState.PENDING, null, 0, 15, "", null));

    DashModel second = press(first, "n");
    assertThat(second.wish())
        .isEqualTo(new Query.Tasks("mail", TaskState.PENDING, null, 15, 15, "", null));
    DashModel third = press(second, "n");
    assertThat(((Query.Tasks) third.wish()).offset()).isEqualTo(30);
    assertThat(press(third, "n").wish()).isEqualTo(third.wish());
    assertThat(SampleModels.text(press(third, "n"))).contains("This is the last page.");
    assertThat(press(third, "pp").wish()).isEqualTo(first.wish());
    assertThat(SampleModels.text(press(first, "p"))).contains("This is the first page.");
  }

  @Test
  void theOldPageStaysUntilTheNextOneIsLoaded() {
    DashModel second = press(tasks(TaskState.PENDING), "n");

    assertThat(SampleModels.text(second)).contains("task-000", "loading …");
    DashModel there =
        SampleModels.withTasks(
            second, SampleModels.tasks(TaskState.PENDING, 15, 15), 40, "cursor-2");
    assertThat(SampleModels.text(there)).contains("task-015", "showing 16–30 of 40");
  }

  @Test
  void aPageBeyondTheEndShowsTheLastOne() {
    DashModel third = press(tasks(TaskState.PENDING), "nn");

    DashModel shrunk = SampleModels.withTasks(third, List.of(), 20, null);

    assertThat(((Query.Tasks) shrunk.wish()).offset()).isEqualTo(15);
  }

  @Test
  void aReplyToAnOutdatedQueryIsDropped() {
    DashModel pending = tasks(TaskState.PENDING);
    Query.Tasks old = (Query.Tasks) pending.wish();
    DashModel scheduled = press(pending, "ll");

    DashModel late =
        scheduled.heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Tasks(
                    old,
                    SampleModels.tasks(TaskState.PENDING, 0, 3),
                    List.of(),
                    3,
                    null,
                    3,
                    SampleModels.NOW)));

    assertThat(((QueueView) late.view()).tasks()).isNull();
  }

  @Test
  void groupsAreListedFirstAndTheSelectedOneIsOpened() {
    DashModel mail = press(press(press(queues, "jj"), Key.Code.ENTER), "ll");
    assertThat(mail.wish()).isEqualTo(new Query.Groups("mail"));
    List<QueryResult.Group> many =
        IntStream.range(0, 40)
            .mapToObj(i -> new QueryResult.Group("g%02d".formatted(i), i))
            .toList();
    DashModel groups =
        mail.heard(
            SampleModels.batch(
                SampleModels.overview(), new QueryResult.Groups(new Query.Groups("mail"), many)));

    // On the second page of groups, where asynq for Go opened one of the first.
    DashModel opened = press(press(groups, "nj"), Key.Code.ENTER);
    assertThat(opened.wish())
        .isEqualTo(new Query.Tasks("mail", TaskState.AGGREGATING, "g16", 0, 15, "", null));
    DashModel filled =
        SampleModels.withTasks(
            opened, SampleModels.tasks(TaskState.AGGREGATING, 0, 15), 16, "cursor");
    assertThat(SampleModels.text(filled))
        .contains("showing 1–15 of 16", "mail › aggregating › g16");
    assertThat(((Query.Tasks) press(filled, "n").wish()).offset()).isEqualTo(15);
    assertThat(((Query.Tasks) press(filled, "nn").wish()).offset()).isEqualTo(15);
    assertThat(selected(press(filled, Key.Code.ESCAPE))).isEqualTo("g16");
    assertThat(press(filled, "q").view().title()).isEqualTo("mail › aggregating");
  }

  @Test
  void queuesAreFilteredWhileTyping() {
    DashModel typing = press(queues, "/ma");
    assertThat(SampleModels.text(typing)).contains("/ma").doesNotContain("critical");
    DashModel done = press(typing, Key.Code.ENTER);
    assertThat(((ListView) done.view()).keys()).containsExactly("mail");
    assertThat(SampleModels.text(done)).contains("search: ma");
    // Letters are letters again.
    assertThat(press(done, "j").prompt()).isNull();
    assertThat(((ListView) press(done, Key.Code.ESCAPE).view()).keys()).hasSize(3);
    assertThat(((ListView) press(typing, Key.Code.ESCAPE).view()).keys()).hasSize(3);
    assertThat(((ListView) press(press(typing, Key.Code.BACKSPACE), "x").view()).keys()).isEmpty();
  }

  @Test
  void tasksAreSearchedInRedisWhenTheSearchIsComplete() {
    DashModel typing = press(tasks(TaskState.PENDING), "/type:email*");
    assertThat(((Query.Tasks) typing.wish()).search()).isEmpty();

    DashModel searching = press(typing, Key.Code.ENTER);
    assertThat(((Query.Tasks) searching.wish()).search()).isEqualTo("type:email*");

    DashModel found =
        SampleModels.withTasks(
            searching, SampleModels.tasks(TaskState.PENDING, 0, 2), 700_000, "c1");
    assertThat(SampleModels.text(found))
        .contains("page 1: 2 found in 2 of 700,000 tasks", "n continues");
    DashModel next = press(found, "n");
    assertThat(((Query.Tasks) next.wish()).cursor()).isEqualTo("c1");
    // Not twice from the same place.
    assertThat(press(next, "n").wish()).isEqualTo(next.wish());
    assertThat(((Query.Tasks) press(next, "p").wish()).cursor()).isNull();
  }

  @Test
  void anInvalidSearchIsReported() {
    DashModel model = press(press(tasks(TaskState.PENDING), "/older:soon"), Key.Code.ENTER);

    assertThat(((Query.Tasks) model.wish()).search()).isEmpty();
    assertThat(SampleModels.text(model)).contains("is not a duration");
  }

  @Test
  void theTypeOfTheSelectedTaskIsAFilter() {
    DashModel only = press(tasks(TaskState.PENDING), "f");
    assertThat(((Query.Tasks) only.wish()).search()).isEqualTo("type:\"email:welcome\"");
  }

  @Test
  void queuesAreSortedAndFiltered() {
    assertThat(((ListView) press(queues, "s").view()).keys())
        .containsExactly("default", "mail", "critical");
    DashModel paused = press(queues, "ff");
    assertThat(((ListView) paused.view()).keys()).containsExactly("mail");
    assertThat(((ListView) press(queues, "fff").view()).keys()).containsExactly("default", "mail");
    assertThat(((ListView) press(queues, "ffff").view()).keys()).hasSize(3);
  }

  @Test
  void pausingNeedsConfirmation() {
    DashModel asked = press(queues, "P");
    assertThat(SampleModels.text(asked)).contains("Pause queue \"critical\"?  y yes  n no");
    assertThat(effect(asked, 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.PauseQueue("critical")));
    assertThat(effect(asked, 'x')).isNull();
    assertThat(press(asked, "x").question()).isEqualTo(asked.question());
    assertThat(press(asked, "n").question()).isNull();
    assertThat(SampleModels.text(press(asked, "n"))).contains("Nothing was changed.");
    assertThat(press(asked, Key.Code.ESCAPE).question()).isNull();
    assertThat(effect(press(queues, "jjP"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.ResumeQueue("mail")));
    assertThat(effect(press(press(queues, Key.Code.ENTER), "P"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.PauseQueue("critical")));
  }

  @Test
  void actionsOnTasksNeedConfirmation() {
    DashModel retry = tasks(TaskState.RETRY);
    assertThat(effect(press(retry, "jr"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.RunTask("mail", "task-001")));
    assertThat(effect(press(retry, "a"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.ArchiveTask("mail", "task-000")));
    assertThat(effect(press(retry, "d"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.DeleteTask("mail", "task-000")));
  }

  private static Set<String> marked(DashModel model) {
    return ((QueueView) model.view()).marked();
  }

  @Test
  void markedTasksAreChangedTogetherAfterOneConfirmation() {
    DashModel two = press(tasks(TaskState.RETRY), "  ");
    assertThat(marked(two)).containsExactlyInAnyOrder("task-000", "task-001");
    assertThat(selected(two)).isEqualTo("task-002");
    assertThat(SampleModels.text(two)).contains("* task-000", "* task-001", "2 marked");

    DashModel asked = press(two, "d");
    assertThat(SampleModels.text(asked))
        .contains("Delete 2 marked tasks in queue \"mail\" permanently?");
    assertThat(effect(asked, 'y'))
        .isEqualTo(
            new SideEffect.Act(
                new OperatorAction.Many(
                    List.of(
                        new OperatorAction.DeleteTask("mail", "task-000"),
                        new OperatorAction.DeleteTask("mail", "task-001")),
                    "deleted")));
    assertThat(marked(press(asked, "y"))).isEmpty();
    assertThat(marked(press(asked, "n"))).hasSize(2);
    assertThat(effect(press(two, "r"), 'y')).isInstanceOf(SideEffect.Act.class);
    assertThat(effect(press(press(tasks(TaskState.ACTIVE), "  "), "c"), 'a'))
        .isEqualTo(
            new SideEffect.Act(
                new OperatorAction.Many(
                    List.of(
                        new OperatorAction.CancelTask("mail", "task-000", AfterCancel.ARCHIVE),
                        new OperatorAction.CancelTask("mail", "task-001", AfterCancel.ARCHIVE)),
                    "being cancelled")));
  }

  @Test
  void tasksAreMarkedAndUnmarked() {
    DashModel retry = tasks(TaskState.RETRY);
    assertThat(marked(press(retry, " k "))).isEmpty();
    assertThat(marked(press(retry, "A"))).hasSize(15);
    assertThat(marked(press(retry, "AA"))).isEmpty();
    // At the end of the list the selection stays where it is.
    assertThat(selected(press(retry, "G "))).isEqualTo("task-014");

    DashModel two = press(retry, "  ");
    assertThat(marked(press(two, Key.Code.ESCAPE))).isEmpty();
    assertThat(press(press(two, Key.Code.ESCAPE), Key.Code.ESCAPE).view())
        .isInstanceOf(QueuesView.class);
    // Rows that are not visible are not marked: neither on other pages nor removed ones.
    assertThat(marked(press(two, "n"))).isEmpty();
    assertThat(marked(press(two, "l"))).isEmpty();
    assertThat(
            marked(
                SampleModels.withTasks(
                    two, SampleModels.tasks(TaskState.RETRY, 1, 15), 39, "cursor-1")))
        .containsExactly("task-001");
  }

  @Test
  void theHistoryOfAQueueOpensFromItAndFromTheList() {
    assertThat(press(queues, "jjH").view().title()).isEqualTo("mail › history");
    DashModel history = press(tasks(TaskState.RETRY), "H");
    assertThat(history.wish()).isEqualTo(new Query.History("mail", 90));
    assertThat(press(history, "q").view().title()).isEqualTo("mail › retry");
  }

  @Test
  void aCancelledTaskIsRetriedArchivedOrDeleted() {
    DashModel asked = press(tasks(TaskState.ACTIVE), "c");
    assertThat(effect(asked, 'y'))
        .isEqualTo(
            new SideEffect.Act(
                new OperatorAction.CancelTask("mail", "task-000", AfterCancel.RETRY)));
    assertThat(effect(asked, 'a'))
        .isEqualTo(
            new SideEffect.Act(
                new OperatorAction.CancelTask("mail", "task-000", AfterCancel.ARCHIVE)));
    assertThat(effect(asked, 'd'))
        .isEqualTo(
            new SideEffect.Act(
                new OperatorAction.CancelTask("mail", "task-000", AfterCancel.DELETE)));
  }

  @ParameterizedTest
  @EnumSource(TaskState.class)
  void forbiddenActionsAreReportedWithoutAConfirmation(TaskState state) {
    DashModel model = SampleModels.queues().into(task(state));
    Map<String, TaskAction> keys =
        Map.of(
            "r", TaskAction.RUN,
            "a", TaskAction.ARCHIVE,
            "d", TaskAction.DELETE,
            "c", TaskAction.CANCEL);
    keys.forEach(
        (key, action) -> {
          DashModel pressed = press(model, key);
          assertThat(pressed.question() != null).isEqualTo(action.isAllowedIn(state));
          if (!action.isAllowedIn(state)) {
            assertThat(SampleModels.text(pressed))
                .containsIgnoringCase(
                    "cannot be %s in state %s".formatted(action.done(), state.word()));
          }
        });
  }

  private static TaskView task(TaskState state) {
    return (TaskView)
        TaskView.of("mail", "task-000")
            .with(
                new QueryResult.Task(
                    new Query.Task("mail", "task-000"),
                    SampleModels.task("task-000", state),
                    "why"),
                ScreenSize.USUAL);
  }

  @Test
  void anUnreadableTaskCanOnlyBeDeleted() {
    DashModel pending = tasks(TaskState.PENDING);
    DashModel model =
        pending.heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Tasks(
                    (Query.Tasks) pending.wish(),
                    List.of(),
                    List.of("broken-1"),
                    1,
                    null,
                    0,
                    SampleModels.NOW)));
    assertThat(SampleModels.text(model)).contains("broken-1", "(unreadable)");
    assertThat(press(model, "a").question()).isNull();
    assertThat(effect(press(model, "d"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.DeleteTask("mail", "broken-1")));
  }

  @Test
  void payloadsAreShownInFourForms() {
    DashModel model = SampleModels.queues().into(task(TaskState.RETRY));
    assertThat(SampleModels.text(model)).contains("as json");
    assertThat(SampleModels.text(press(model, "v"))).contains("as text");
    assertThat(SampleModels.text(press(model, "vvv"))).contains("as hex");
    assertThat(press(model, "vvvv").view()).isEqualTo(model.view());
  }

  @Test
  void serversAreMadeQuietOrStopped() {
    DashModel model =
        press(queues, "2")
            .heard(
                SampleModels.batch(
                    SampleModels.overview(),
                    new QueryResult.Servers(List.of(SampleModels.server("s-1", 7, "active", 3)))));
    assertThat(effect(press(model, "z"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.QuietServer("s-1")));
    DashModel one = press(model, Key.Code.ENTER);
    assertThat(effect(press(one, "x"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.StopServer("s-1")));
    assertThat(press(one, Key.Code.ENTER).wish()).isEqualTo(new Query.Task("default", "task-001"));
  }

  @Test
  void schedulesArePausedResumedAndRun() {
    DashModel model =
        press(queues, "3")
            .heard(
                SampleModels.batch(
                    SampleModels.overview(),
                    new QueryResult.Schedules(
                        List.of(
                            SampleModels.schedule("a", true, null),
                            SampleModels.schedule("b", true, SampleModels.NOW),
                            SampleModels.schedule("go", false, null)))));
    assertThat(effect(press(model, "P"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.PauseSchedule("a")));
    assertThat(effect(press(model, "jP"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.ResumeSchedule("b")));
    assertThat(effect(press(model, "r"), 'y'))
        .isEqualTo(new SideEffect.Act(new OperatorAction.RunSchedule("a")));
    assertThat(press(model, "jjP").question()).isNull();
    DashModel one = press(model, Key.Code.ENTER);
    Query.Events wish = (Query.Events) one.wish();
    DashModel events =
        one.heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Events(
                    wish,
                    SampleModels.schedule("a", true, null),
                    List.of(new ScheduleEvent("task-9", SampleModels.NOW, null)))));
    assertThat(SampleModels.text(events)).contains("task-9", "report:daily in queue mail");
    assertThat(press(events, Key.Code.ENTER).wish()).isEqualTo(new Query.Task("mail", "task-9"));
  }

  @Test
  void redisInfoIsSearched() {
    DashModel model =
        press(queues, "4")
            .heard(
                SampleModels.batch(
                    SampleModels.overview(),
                    new QueryResult.Redis(Map.of("used_memory", "1000", "role", "master"))));
    assertThat(((ListView) press(model, "/mem").view()).keys()).containsExactly("used_memory");
  }

  @Test
  void refreshAndRedrawAreEffects() {
    assertThat(effect(queues, 'R')).isEqualTo(new SideEffect.Refresh());
    assertThat(KeyController.press(queues, Key.of(Key.Code.REDRAW)).effect())
        .isEqualTo(new SideEffect.Redraw());
  }

  @Test
  void onlyVisibleRowsAreLoaded() {
    DashModel many =
        SampleModels.model(ScreenSize.USUAL)
            .heard(SampleModels.batch(SampleModels.manyQueues(10_000), null));
    assertThat(((Query.Queues) many.wish()).visible()).hasSize(12).startsWith("q00000");
    assertThat(((Query.Queues) press(many, "n").wish()).visible()).hasSize(12).contains("q00012");
    assertThat(((Query.Queues) press(many, "G").wish()).visible()).hasSize(12).endsWith("q09999");
    assertThat(((Query.Queues) many.sized(new ScreenSize(80, 40)).wish()).visible()).hasSize(28);
  }
}
