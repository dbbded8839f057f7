package io.asynq4j.cli.dash;

import static io.asynq4j.cli.dash.Samples.press;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.AfterCancel;
import io.asynq4j.TaskState;
import io.asynq4j.inspect.ScheduleEvent;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ControllerTest {

  private final Model queues = Samples.queues();

  private static @Nullable String selected(Model model) {
    return ((RowsView) model.view()).selected(model.size()).orElse(null);
  }

  private static @Nullable Effect effect(Model model, char key) {
    return Controller.press(model, Key.of(key)).effect();
  }

  /** Queue "mail", showing its tasks of a state. */
  private Model tasks(TaskState state) {
    Model mail = press(press(queues, "jj"), Key.Code.ENTER);
    QueueView view = (QueueView) mail.view();
    return Samples.withTasks(
        mail.showing(view.inState(state)), Samples.tasks(state, 0, 15), 40, "cursor-1");
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
    Model atDefault = press(queues, "j");
    Model more =
        atDefault.heard(
            Samples.batch(
                Samples.overview(
                    List.of(
                        Samples.row("a-new-one", 1, 0, 0, null),
                        Samples.row("critical", 1, 0, 0, null),
                        Samples.row("default", 1, 0, 0, null))),
                null));

    assertThat(selected(more)).isEqualTo("default");
    Model gone =
        more.heard(
            Samples.batch(Samples.overview(List.of(Samples.row("critical", 1, 0, 0, null))), null));
    assertThat(selected(gone)).isEqualTo("critical");
  }

  @Test
  void enterOpensAndEscapeAndQGoBackAndQuitFromTheTop() {
    Model mail = press(press(queues, "jj"), Key.Code.ENTER);
    assertThat(mail.view()).isInstanceOf(QueueView.class);
    assertThat(mail.view().title()).isEqualTo("mail › active");
    assertThat(press(mail, "q").view()).isInstanceOf(QueuesView.class);
    assertThat(press(mail, Key.Code.ESCAPE).view()).isInstanceOf(QueuesView.class);
    assertThat(selected(press(mail, "q"))).isEqualTo("mail");
    assertThat(effect(queues, 'q')).isEqualTo(new Effect.Quit());
    assertThat(Controller.press(queues, Key.of(Key.Code.ESCAPE)).effect())
        .isEqualTo(new Effect.Quit());
    assertThat(Controller.press(mail, Key.of(Key.Code.QUIT)).effect()).isEqualTo(new Effect.Quit());
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
    Model end = press(press(queues, "?"), Key.Code.END);
    assertThat(Samples.text(end)).contains("asks first");
    assertThat(press(press(end, "k"), "j").view()).isEqualTo(end.view());
  }

  @Test
  void leftAndRightGoThroughTheStatesOfAQueue() {
    Model mail = press(press(queues, "jj"), Key.Code.ENTER);
    assertThat(press(mail, "l").view().title()).isEqualTo("mail › pending");
    assertThat(press(mail, Key.Code.LEFT).view().title()).isEqualTo("mail › completed");
    assertThat(press(mail, "lllllll").view().title()).isEqualTo("mail › active");
  }

  @Test
  void pagesGoOnAndBackAndEndAtTheEnds() {
    Model first = tasks(TaskState.PENDING);
    assertThat(first.wish())
        .isEqualTo(new Wish.Tasks("mail", TaskState.PENDING, null, 0, 15, "", null));

    Model second = press(first, "n");
    assertThat(second.wish())
        .isEqualTo(new Wish.Tasks("mail", TaskState.PENDING, null, 15, 15, "", null));
    Model third = press(second, "n");
    assertThat(((Wish.Tasks) third.wish()).offset()).isEqualTo(30);
    assertThat(press(third, "n").wish()).isEqualTo(third.wish());
    assertThat(Samples.text(press(third, "n"))).contains("This is the last page.");
    assertThat(press(third, "pp").wish()).isEqualTo(first.wish());
    assertThat(Samples.text(press(first, "p"))).contains("This is the first page.");
  }

  @Test
  void whatWasSeenStaysUntilTheNextPageIsThere() {
    Model second = press(tasks(TaskState.PENDING), "n");

    assertThat(Samples.text(second)).contains("task-000", "looking …");
    Model there =
        Samples.withTasks(second, Samples.tasks(TaskState.PENDING, 15, 15), 40, "cursor-2");
    assertThat(Samples.text(there)).contains("task-015", "showing 16–30 of 40");
  }

  @Test
  void aPageBehindTheEndBecomesTheLastOne() {
    Model third = press(tasks(TaskState.PENDING), "nn");

    Model shrunk = Samples.withTasks(third, List.of(), 20, null);

    assertThat(((Wish.Tasks) shrunk.wish()).offset()).isEqualTo(15);
  }

  @Test
  void anAnswerToAnOldWishIsDropped() {
    Model pending = tasks(TaskState.PENDING);
    Wish.Tasks old = (Wish.Tasks) pending.wish();
    Model scheduled = press(pending, "ll");

    Model late =
        scheduled.heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Tasks(
                    old,
                    Samples.tasks(TaskState.PENDING, 0, 3),
                    List.of(),
                    3,
                    null,
                    3,
                    Samples.NOW)));

    assertThat(((QueueView) late.view()).tasks()).isNull();
  }

  @Test
  void groupsAreListedFirstAndTheSelectedOneIsOpened() {
    Model mail = press(press(press(queues, "jj"), Key.Code.ENTER), "ll");
    assertThat(mail.wish()).isEqualTo(new Wish.Groups("mail"));
    List<Answer.Group> many =
        IntStream.range(0, 40).mapToObj(i -> new Answer.Group("g%02d".formatted(i), i)).toList();
    Model groups =
        mail.heard(
            Samples.batch(Samples.overview(), new Answer.Groups(new Wish.Groups("mail"), many)));

    // On the second page of groups, where the original opened one of the first.
    Model opened = press(press(groups, "nj"), Key.Code.ENTER);
    assertThat(opened.wish())
        .isEqualTo(new Wish.Tasks("mail", TaskState.AGGREGATING, "g16", 0, 15, "", null));
    Model filled =
        Samples.withTasks(opened, Samples.tasks(TaskState.AGGREGATING, 0, 15), 16, "cursor");
    assertThat(Samples.text(filled)).contains("showing 1–15 of 16", "mail › aggregating › g16");
    assertThat(((Wish.Tasks) press(filled, "n").wish()).offset()).isEqualTo(15);
    assertThat(((Wish.Tasks) press(filled, "nn").wish()).offset()).isEqualTo(15);
    assertThat(selected(press(filled, Key.Code.ESCAPE))).isEqualTo("g16");
    assertThat(press(filled, "q").view().title()).isEqualTo("mail › aggregating");
  }

  @Test
  void queuesAreSearchedWhileOneTypes() {
    Model typing = press(queues, "/ma");
    assertThat(Samples.text(typing)).contains("/ma").doesNotContain("critical");
    Model done = press(typing, Key.Code.ENTER);
    assertThat(((RowsView) done.view()).keys()).containsExactly("mail");
    assertThat(Samples.text(done)).contains("search: ma");
    // Letters are letters again.
    assertThat(press(done, "j").prompt()).isNull();
    assertThat(((RowsView) press(done, Key.Code.ESCAPE).view()).keys()).hasSize(3);
    assertThat(((RowsView) press(typing, Key.Code.ESCAPE).view()).keys()).hasSize(3);
    assertThat(((RowsView) press(press(typing, Key.Code.BACKSPACE), "x").view()).keys()).isEmpty();
  }

  @Test
  void tasksAreSearchedInRedisWhenTheSearchIsComplete() {
    Model typing = press(tasks(TaskState.PENDING), "/type:email*");
    assertThat(((Wish.Tasks) typing.wish()).search()).isEmpty();

    Model searching = press(typing, Key.Code.ENTER);
    assertThat(((Wish.Tasks) searching.wish()).search()).isEqualTo("type:email*");

    Model found =
        Samples.withTasks(searching, Samples.tasks(TaskState.PENDING, 0, 2), 700_000, "c1");
    assertThat(Samples.text(found)).contains("page 1: 2 found among 2 of 700,000", "n goes on");
    Model next = press(found, "n");
    assertThat(((Wish.Tasks) next.wish()).cursor()).isEqualTo("c1");
    // Not twice from the same place.
    assertThat(press(next, "n").wish()).isEqualTo(next.wish());
    assertThat(((Wish.Tasks) press(next, "p").wish()).cursor()).isNull();
  }

  @Test
  void aSearchThatMakesNoSenseSaysSo() {
    Model model = press(press(tasks(TaskState.PENDING), "/older:soon"), Key.Code.ENTER);

    assertThat(((Wish.Tasks) model.wish()).search()).isEmpty();
    assertThat(Samples.text(model)).contains("'soon' is no duration");
  }

  @Test
  void theTypeOfTheSelectedTaskIsAFilter() {
    Model only = press(tasks(TaskState.PENDING), "f");
    assertThat(((Wish.Tasks) only.wish()).search()).isEqualTo("type:\"email:welcome\"");
  }

  @Test
  void queuesAreSortedAndFiltered() {
    assertThat(((RowsView) press(queues, "s").view()).keys())
        .containsExactly("default", "mail", "critical");
    Model paused = press(queues, "ff");
    assertThat(((RowsView) paused.view()).keys()).containsExactly("mail");
    assertThat(((RowsView) press(queues, "fff").view()).keys()).containsExactly("default", "mail");
    assertThat(((RowsView) press(queues, "ffff").view()).keys()).hasSize(3);
  }

  @Test
  void pausingAsksAndOnlyYesDoesIt() {
    Model asked = press(queues, "P");
    assertThat(Samples.text(asked)).contains("Pause queue \"critical\"?  y yes  n no");
    assertThat(effect(asked, 'y')).isEqualTo(new Effect.Act(new Action.PauseQueue("critical")));
    assertThat(effect(asked, 'x')).isNull();
    assertThat(press(asked, "x").question()).isEqualTo(asked.question());
    assertThat(press(asked, "n").question()).isNull();
    assertThat(Samples.text(press(asked, "n"))).contains("Nothing was done.");
    assertThat(press(asked, Key.Code.ESCAPE).question()).isNull();
    assertThat(effect(press(queues, "jjP"), 'y'))
        .isEqualTo(new Effect.Act(new Action.ResumeQueue("mail")));
    assertThat(effect(press(press(queues, Key.Code.ENTER), "P"), 'y'))
        .isEqualTo(new Effect.Act(new Action.PauseQueue("critical")));
  }

  @Test
  void actionsOnTasksAsk() {
    Model retry = tasks(TaskState.RETRY);
    assertThat(effect(press(retry, "jr"), 'y'))
        .isEqualTo(new Effect.Act(new Action.RunTask("mail", "task-001")));
    assertThat(effect(press(retry, "a"), 'y'))
        .isEqualTo(new Effect.Act(new Action.ArchiveTask("mail", "task-000")));
    assertThat(effect(press(retry, "d"), 'y'))
        .isEqualTo(new Effect.Act(new Action.DeleteTask("mail", "task-000")));
  }

  private static Set<String> marked(Model model) {
    return ((QueueView) model.view()).marked();
  }

  @Test
  void markedTasksAreDealtWithTogetherAfterOneQuestion() {
    Model two = press(tasks(TaskState.RETRY), "  ");
    assertThat(marked(two)).containsExactlyInAnyOrder("task-000", "task-001");
    assertThat(selected(two)).isEqualTo("task-002");
    assertThat(Samples.text(two)).contains("* task-000", "* task-001", "2 marked");

    Model asked = press(two, "d");
    assertThat(Samples.text(asked)).contains("Delete 2 marked tasks of queue \"mail\" for good?");
    assertThat(effect(asked, 'y'))
        .isEqualTo(
            new Effect.Act(
                new Action.Many(
                    List.of(
                        new Action.DeleteTask("mail", "task-000"),
                        new Action.DeleteTask("mail", "task-001")),
                    "deleted")));
    assertThat(marked(press(asked, "y"))).isEmpty();
    assertThat(marked(press(asked, "n"))).hasSize(2);
    assertThat(effect(press(two, "r"), 'y')).isInstanceOf(Effect.Act.class);
    assertThat(effect(press(press(tasks(TaskState.ACTIVE), "  "), "c"), 'a'))
        .isEqualTo(
            new Effect.Act(
                new Action.Many(
                    List.of(
                        new Action.CancelTask("mail", "task-000", AfterCancel.ARCHIVE),
                        new Action.CancelTask("mail", "task-001", AfterCancel.ARCHIVE)),
                    "told to stop")));
  }

  @Test
  void marksComeAndGo() {
    Model retry = tasks(TaskState.RETRY);
    assertThat(marked(press(retry, " k "))).isEmpty();
    assertThat(marked(press(retry, "A"))).hasSize(15);
    assertThat(marked(press(retry, "AA"))).isEmpty();
    // At the end of the list the selection stays where it is.
    assertThat(selected(press(retry, "G "))).isEqualTo("task-014");

    Model two = press(retry, "  ");
    assertThat(marked(press(two, Key.Code.ESCAPE))).isEmpty();
    assertThat(press(press(two, Key.Code.ESCAPE), Key.Code.ESCAPE).view())
        .isInstanceOf(QueuesView.class);
    // What is not seen is not marked: not on another page, nor when it is gone.
    assertThat(marked(press(two, "n"))).isEmpty();
    assertThat(marked(press(two, "l"))).isEmpty();
    assertThat(
            marked(Samples.withTasks(two, Samples.tasks(TaskState.RETRY, 1, 15), 39, "cursor-1")))
        .containsExactly("task-001");
  }

  @Test
  void theHistoryOfAQueueOpensFromItAndFromTheList() {
    assertThat(press(queues, "jjH").view().title()).isEqualTo("mail › history");
    Model history = press(tasks(TaskState.RETRY), "H");
    assertThat(history.wish()).isEqualTo(new Wish.History("mail", 90));
    assertThat(press(history, "q").view().title()).isEqualTo("mail › retry");
  }

  @Test
  void aCancelledTaskIsRetriedArchivedOrDeleted() {
    Model asked = press(tasks(TaskState.ACTIVE), "c");
    assertThat(effect(asked, 'y'))
        .isEqualTo(new Effect.Act(new Action.CancelTask("mail", "task-000", AfterCancel.RETRY)));
    assertThat(effect(asked, 'a'))
        .isEqualTo(new Effect.Act(new Action.CancelTask("mail", "task-000", AfterCancel.ARCHIVE)));
    assertThat(effect(asked, 'd'))
        .isEqualTo(new Effect.Act(new Action.CancelTask("mail", "task-000", AfterCancel.DELETE)));
  }

  @ParameterizedTest
  @EnumSource(TaskState.class)
  void whatAStateForbidsIsSaidAndNotAsked(TaskState state) {
    Model model = Samples.queues().into(task(state));
    boolean isActive = state == TaskState.ACTIVE;
    assertThat(press(model, "r").question() != null)
        .isEqualTo(!isActive && state != TaskState.PENDING);
    assertThat(press(model, "a").question() != null)
        .isEqualTo(!isActive && state != TaskState.ARCHIVED);
    assertThat(press(model, "d").question() != null).isEqualTo(!isActive);
    assertThat(press(model, "c").question() != null).isEqualTo(isActive);
    if (!isActive) {
      assertThat(Samples.text(press(model, "c"))).contains("cannot be cancelled");
    }
  }

  private static TaskView task(TaskState state) {
    return (TaskView)
        TaskView.of("mail", "task-000")
            .with(
                new Answer.Task(
                    new Wish.Task("mail", "task-000"), Samples.task("task-000", state), "why"),
                Size.USUAL);
  }

  @Test
  void anUnreadableTaskCanOnlyBeDeleted() {
    Model pending = tasks(TaskState.PENDING);
    Model model =
        pending.heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Tasks(
                    (Wish.Tasks) pending.wish(),
                    List.of(),
                    List.of("broken-1"),
                    1,
                    null,
                    0,
                    Samples.NOW)));
    assertThat(Samples.text(model)).contains("broken-1", "(unreadable)");
    assertThat(press(model, "a").question()).isNull();
    assertThat(effect(press(model, "d"), 'y'))
        .isEqualTo(new Effect.Act(new Action.DeleteTask("mail", "broken-1")));
  }

  @Test
  void payloadsAreShownInFourForms() {
    Model model = Samples.queues().into(task(TaskState.RETRY));
    assertThat(Samples.text(model)).contains("as json");
    assertThat(Samples.text(press(model, "v"))).contains("as text");
    assertThat(Samples.text(press(model, "vvv"))).contains("as hex");
    assertThat(press(model, "vvvv").view()).isEqualTo(model.view());
  }

  @Test
  void serversAreMadeQuietOrStopped() {
    Model model =
        press(queues, "2")
            .heard(
                Samples.batch(
                    Samples.overview(),
                    new Answer.Servers(List.of(Samples.server("s-1", 7, "active", 3)))));
    assertThat(effect(press(model, "z"), 'y'))
        .isEqualTo(new Effect.Act(new Action.QuietServer("s-1")));
    Model one = press(model, Key.Code.ENTER);
    assertThat(effect(press(one, "x"), 'y'))
        .isEqualTo(new Effect.Act(new Action.StopServer("s-1")));
    assertThat(press(one, Key.Code.ENTER).wish()).isEqualTo(new Wish.Task("default", "task-001"));
  }

  @Test
  void schedulesArePausedResumedAndRun() {
    Model model =
        press(queues, "3")
            .heard(
                Samples.batch(
                    Samples.overview(),
                    new Answer.Schedules(
                        List.of(
                            Samples.schedule("a", true, null),
                            Samples.schedule("b", true, Samples.NOW),
                            Samples.schedule("go", false, null)))));
    assertThat(effect(press(model, "P"), 'y'))
        .isEqualTo(new Effect.Act(new Action.PauseSchedule("a")));
    assertThat(effect(press(model, "jP"), 'y'))
        .isEqualTo(new Effect.Act(new Action.ResumeSchedule("b")));
    assertThat(effect(press(model, "r"), 'y'))
        .isEqualTo(new Effect.Act(new Action.RunSchedule("a")));
    assertThat(press(model, "jjP").question()).isNull();
    Model one = press(model, Key.Code.ENTER);
    Wish.Events wish = (Wish.Events) one.wish();
    Model events =
        one.heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Events(
                    wish,
                    Samples.schedule("a", true, null),
                    List.of(new ScheduleEvent("task-9", Samples.NOW, null)))));
    assertThat(Samples.text(events)).contains("task-9", "report:daily in queue mail");
    assertThat(press(events, Key.Code.ENTER).wish()).isEqualTo(new Wish.Task("mail", "task-9"));
  }

  @Test
  void redisInfoIsSearched() {
    Model model =
        press(queues, "4")
            .heard(
                Samples.batch(
                    Samples.overview(),
                    new Answer.Redis(Map.of("used_memory", "1000", "role", "master"))));
    assertThat(((RowsView) press(model, "/mem").view()).keys()).containsExactly("used_memory");
  }

  @Test
  void refreshAndRedrawAreEffects() {
    assertThat(effect(queues, 'R')).isEqualTo(new Effect.Refresh());
    assertThat(Controller.press(queues, Key.of(Key.Code.REDRAW)).effect())
        .isEqualTo(new Effect.Redraw());
  }

  @Test
  void onlyTheRowsThatAreSeenAreWishedFor() {
    Model many = Samples.model(Size.USUAL).heard(Samples.batch(Samples.manyQueues(10_000), null));
    assertThat(((Wish.Queues) many.wish()).visible()).hasSize(12).startsWith("q00000");
    assertThat(((Wish.Queues) press(many, "n").wish()).visible()).hasSize(12).contains("q00012");
    assertThat(((Wish.Queues) press(many, "G").wish()).visible()).hasSize(12).endsWith("q09999");
    assertThat(((Wish.Queues) many.sized(new Size(80, 40)).wish()).visible()).hasSize(28);
  }
}
