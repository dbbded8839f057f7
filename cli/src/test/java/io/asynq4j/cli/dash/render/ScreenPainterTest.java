package io.asynq4j.cli.dash.render;

import static io.asynq4j.cli.dash.SampleModels.press;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.SampleModels;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.QueueRow;
import io.asynq4j.cli.dash.data.Trend;
import io.asynq4j.cli.dash.model.ConfirmDialog;
import io.asynq4j.cli.dash.model.DashModel;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Charts;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.view.ListView;
import io.asynq4j.cli.dash.view.QueueView;
import io.asynq4j.inspect.ScheduleSnapshot.ScheduleEvent;
import io.asynq4j.inspect.TaskAction;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Compares screens with the expected ones in the resources of this test. */
class ScreenPainterTest {

  /** The screens are also written to target/screens, from where intended changes can be copied. */
  private static void assertLooksLike(String screen, DashModel model) {
    String painted = SampleModels.text(model).stripTrailing();
    try {
      Path directory = Files.createDirectories(Path.of("target", "screens"));
      Files.writeString(directory.resolve(screen + ".txt"), painted + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(painted).isEqualTo(screen(screen));
  }

  private static String screen(String name) {
    try (InputStream in =
        Objects.requireNonNull(
            ScreenPainterTest.class.getResourceAsStream(name + ".txt"), "no screen " + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DashModel queue(TaskState state) {
    DashModel mail = press(press(SampleModels.queues(), "jj"), Key.Code.ENTER);
    DashModel shown = mail.showing(((QueueView) mail.view()).inState(state));
    return state == TaskState.AGGREGATING
        ? shown.heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Groups(
                    new Query.Groups("mail"),
                    List.of(
                        new QueryResult.Group("digest", 2), new QueryResult.Group("weekly", 1)))))
        : SampleModels.withTasks(shown, SampleModels.tasks(state, 0, 3), 3, null);
  }

  private static DashModel task(TaskState state) {
    return press(queue(state), Key.Code.ENTER)
        .heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Task(
                    new Query.Task("mail", "task-000"),
                    SampleModels.task("task-000", state),
                    "Its last attempt failed. It is due in 5 min.")));
  }

  private static DashModel history() {
    return press(SampleModels.queues(), "jjH")
        .heard(SampleModels.batch(SampleModels.overview(), SampleModels.history("mail")));
  }

  private static DashModel servers() {
    return press(SampleModels.queues(), "2")
        .heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Servers(
                    List.of(
                        SampleModels.server("0f1e2d3c", 71, "active", 3),
                        SampleModels.server("4b5a6978", 72, "stopped", 10)))));
  }

  private static DashModel schedules() {
    return press(SampleModels.queues(), "3")
        .heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Schedules(
                    List.of(
                        SampleModels.schedule("nightly", true, null),
                        SampleModels.schedule("weekly", true, SampleModels.NOW)))));
  }

  private static DashModel redis() {
    Map<String, String> info = new LinkedHashMap<>();
    info.put("redis_version", "7.0.15");
    info.put("redis_mode", "standalone");
    info.put("role", "master");
    info.put("uptime_in_seconds", "7200");
    info.put("used_memory", "104857600");
    info.put("used_memory_peak", "209715200");
    info.put("maxmemory", "419430400");
    info.put("maxmemory_policy", "allkeys-lru");
    info.put("connected_clients", "17");
    return press(SampleModels.queues(), "4")
        .heard(SampleModels.batch(SampleModels.overview(), new QueryResult.Redis(info)));
  }

  @ParameterizedTest
  @EnumSource(value = TaskState.class, mode = Mode.EXCLUDE, names = "AGGREGATING")
  void theKeysOfAListAreThoseThatItsStateAllows(TaskState state) {
    List<String> lines = SampleModels.text(queue(state)).stripTrailing().lines().toList();
    String keys = lines.get(lines.size() - 1);

    for (TaskAction action :
        List.of(TaskAction.RUN, TaskAction.ARCHIVE, TaskAction.DELETE, TaskAction.CANCEL)) {
      assertThat(keys.contains("  " + action.word().charAt(0) + " " + action.word()))
          .as(keys)
          .isEqualTo(action.isAllowedIn(state));
    }
  }

  @Test
  void theScrollPositionIsShownUnlessThereIsAMessage() {
    DashModel help = press(SampleModels.queues(), "?");
    List<String> lines = SampleModels.text(help).lines().toList();
    assertThat(lines.get(ScreenPainter.BODY)).isEqualTo(" Everywhere");
    assertThat(lines.get(22)).endsWith(" 1–20 of 56");
    assertThat(SampleModels.text(help.saying("Well done.", true)))
        .contains("Well done.")
        .doesNotContain(" of 55");
  }

  @Test
  void theOverviewHasBarsFiguresAndSparklines() {
    assertLooksLike("queues", press(SampleModels.queues(), "j"));
  }

  @Test
  void aWideTerminalHasMoreColumns() {
    assertLooksLike("queues-wide", SampleModels.queues(new ScreenSize(160, 20)));
  }

  @Test
  void aQueueHasATabForEachState() {
    assertLooksLike("queue-retry", queue(TaskState.RETRY));
    assertThat(SampleModels.text(queue(TaskState.AGGREGATING)))
        .contains("GROUP", "digest", "2 groups");
  }

  @Test
  void aTaskIsShownWithAllItsData() {
    assertLooksLike("task", task(TaskState.RETRY));
  }

  @Test
  void aHistoryHasABarForEachDay() {
    assertLooksLike("history", history());
    assertThat(SampleModels.text(press(SampleModels.queues(), "H"))).contains("Loading …");
    DashModel gone =
        history()
            .heard(
                SampleModels.batch(
                    SampleModels.overview(),
                    new QueryResult.Nothing(
                        new Query.History("mail", 90), "queue \"mail\" does not exist")));
    assertThat(SampleModels.text(gone)).contains("does not exist");
  }

  @Test
  void aBarShowsWhatWentWellAndWhatDidNot() {
    assertThat(Charts.parts(0, 0, 10, 10)).allMatch(span -> span.text().isEmpty());
    assertThat(Charts.parts(8, 2, 10, 10))
        .extracting(StyledText::text)
        .containsExactly("████████", "██");
    // Even a few failures are visible.
    assertThat(Charts.parts(999, 1, 1_000, 10))
        .extracting(StyledText::text)
        .containsExactly("█████████", "█");
    assertThat(Charts.parts(0, 10, 10, 5))
        .extracting(StyledText::text)
        .containsExactly("", "█████");
    assertThat(Charts.parts(1, 1, 1_000, 10)).containsExactly(new StyledText("█", Style.BAD));
  }

  @Test
  void serversAndOneOfThem() {
    assertLooksLike("servers", servers());
    assertThat(SampleModels.text(press(servers(), Key.Code.ENTER)))
        .contains("host-a:71", "3 of 10 busy", "critical:6 default:1", "task-001", "RUNTIME");
  }

  @Test
  void schedulesAndOneOfThem() {
    assertLooksLike("schedules", schedules());
    DashModel one = press(schedules(), Key.Code.ENTER);
    DashModel known =
        one.heard(
            SampleModels.batch(
                SampleModels.overview(),
                new QueryResult.Events(
                    (Query.Events) one.wish(),
                    SampleModels.schedule("nightly", true, null),
                    List.of(
                        new ScheduleEvent("task-9", SampleModels.NOW.minusSeconds(180), null)))));
    assertThat(SampleModels.text(known)).contains("*/5 * * * *", "ENQUEUED TASK", "task-9");
  }

  @Test
  void redisWarnsOfAnEvictionThatLosesTasks() {
    assertLooksLike("redis", redis());
  }

  @Test
  void theHelpHasAllKeys() {
    assertLooksLike("help", press(SampleModels.queues(new ScreenSize(80, 70)), "?"));
  }

  @ParameterizedTest
  @EnumSource(TaskState.class)
  void everyStateHasItsColumns(TaskState state) {
    String text = SampleModels.text(queue(state));
    String column =
        switch (state) {
          case ACTIVE -> "PROGRESS";
          case PENDING -> "WAITING";
          case AGGREGATING -> "GROUP";
          case SCHEDULED -> "NEXT";
          case RETRY, ARCHIVED -> "LAST ERROR";
          case COMPLETED -> "RESULT";
        };
    assertThat(text).contains(column);
  }

  @ParameterizedTest
  @CsvSource({"80,24", "50,14", "60,15", "200,60", "81,19", "120,20"})
  void everyViewFitsEverySize(int width, int height) {
    ScreenSize size = new ScreenSize(width, height);
    for (DashModel model :
        List.of(
            SampleModels.queues(),
            queue(TaskState.RETRY),
            queue(TaskState.AGGREGATING),
            press(queue(TaskState.RETRY), "A"),
            history(),
            task(TaskState.ARCHIVED),
            servers(),
            press(servers(), Key.Code.ENTER),
            schedules(),
            redis(),
            press(SampleModels.queues(), "?"))) {
      CharacterGrid grid = ScreenPainter.paint(model.sized(size));
      assertThat(grid.text().lines()).hasSize(height).allMatch(line -> line.length() <= width);
      // The selected row is visible in any size.
      if (model.view() instanceof ListView) {
        assertThat(hasSelection(grid)).as(grid.text()).isTrue();
      }
    }
  }

  private static boolean hasSelection(CharacterGrid grid) {
    for (int y = 0; y < grid.height(); y++) {
      if (grid.style(0, y) == Style.SELECTED) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aTooSmallTerminalShowsAMessage() {
    assertThat(SampleModels.text(SampleModels.queues(new ScreenSize(30, 8))))
        .contains("needs 50×14");
    assertThat(SampleModels.text(SampleModels.queues(new ScreenSize(3, 1)))).isEqualTo("asy");
  }

  @Test
  void anOutageIsABannerWithTheReasonAndTheAgeOfTheData() {
    DashModel away =
        SampleModels.queues()
            .at(SampleModels.NOW.plusSeconds(42))
            .unheard("cannot connect to Redis at localhost:6379");
    CharacterGrid grid = ScreenPainter.paint(away);
    assertThat(grid.row(0)).contains("REDIS DOES NOT ANSWER, data is 42s old");
    assertThat(grid.style(0, 0)).isEqualTo(Style.BANNER);
    assertThat(grid.text()).contains("cannot connect to Redis at localhost:6379", "critical");
    DashModel backAgain =
        away.heard(SampleModels.batch(SampleModels.overview(), null)).at(SampleModels.NOW);
    assertThat(ScreenPainter.paint(backAgain).row(0)).contains("ping 0.3 ms");
  }

  @Test
  void aMissingReplyIsReported() {
    DashModel waiting = SampleModels.model(ScreenSize.USUAL);
    assertThat(ScreenPainter.paint(waiting).row(0)).contains("connecting …");
    assertThat(ScreenPainter.paint(waiting.at(SampleModels.NOW.plusSeconds(7))).row(0))
        .contains("NO ANSWER FROM REDIS for 7s, no data yet");
  }

  @Test
  void aQueueThatCannotBeReadIsOneBrokenRow() {
    QueueRow broken =
        new QueueRow("odd", null, QueueRow.UNKNOWN, Trend.NONE, "WRONGTYPE: pending is a set");
    DashModel model =
        SampleModels.model(ScreenSize.USUAL)
            .heard(
                SampleModels.batch(
                    SampleModels.overview(List.of(SampleModels.row("fine", 1, 0, 0, null), broken)),
                    null));
    assertThat(SampleModels.text(model)).contains("fine", "odd", "broken");
    assertThat(SampleModels.text(press(model, "j"))).contains("WRONGTYPE: pending is a set");
  }

  @Test
  void aDeletedTaskIsReportedAndItsLastStateIsShown() {
    DashModel gone =
        task(TaskState.RETRY)
            .heard(
                SampleModels.batch(
                    SampleModels.overview(),
                    new QueryResult.Nothing(
                        new Query.Task("mail", "task-000"), "There is no such task.")));
    assertThat(SampleModels.text(gone))
        .contains("There is no such task.", "Last known data", "email:welcome");
  }

  @Test
  void aLongSentenceTakesSeveralLines() {
    String reason = "word ".repeat(30) + "end";
    CharacterGrid grid = ScreenPainter.paint(SampleModels.queues().unheard(reason));
    assertThat(grid.row(grid.height() - 2)).endsWith("end");
    assertThat(grid.row(grid.height() - 3)).startsWith(" word");
    assertThat(grid.row(grid.height() - 1)).contains("q quit");
  }

  @Test
  void aLongQuestionKeepsItsChoicesVisible() {
    DashModel asked = press(queue(TaskState.RETRY), "d");
    ConfirmDialog question = Objects.requireNonNull(asked.question());
    DashModel longer =
        asked.asking(new ConfirmDialog("Delete " + "x".repeat(200) + "?", question.choices()));
    assertThat(SampleModels.text(longer)).contains("Delete xxx", "… ", " y yes  n no");
  }

  @Test
  void messagesDisappearAfterAWhile() {
    DashModel said = SampleModels.queues().saying("Queue \"mail\" is paused.", true);
    assertThat(SampleModels.text(said)).contains("Queue \"mail\" is paused.");
    assertThat(SampleModels.text(said.at(SampleModels.NOW.plusSeconds(60))))
        .doesNotContain("is paused.");
    assertThat(SampleModels.text(press(said, "j"))).doesNotContain("is paused.");
  }
}
