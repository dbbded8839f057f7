package io.asynq4j.cli.dash;

import static io.asynq4j.cli.dash.Samples.press;
import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.TaskState;
import io.asynq4j.inspect.ScheduleEvent;
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

/** Compares what is painted with the screens in the resources of this test. */
class PainterTest {

  /** What was painted is also left in target/screens, from where a wanted change can be taken. */
  private static void assertLooksLike(String screen, Model model) {
    String painted = Samples.text(model).stripTrailing();
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
            PainterTest.class.getResourceAsStream(name + ".txt"), "no screen " + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Model queue(TaskState state) {
    Model mail = press(press(Samples.queues(), "jj"), Key.Code.ENTER);
    Model shown = mail.showing(((QueueView) mail.view()).inState(state));
    return state == TaskState.AGGREGATING
        ? shown.heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Groups(
                    new Wish.Groups("mail"),
                    List.of(new Answer.Group("digest", 2), new Answer.Group("weekly", 1)))))
        : Samples.withTasks(shown, Samples.tasks(state, 0, 3), 3, null);
  }

  private static Model task(TaskState state) {
    return press(queue(state), Key.Code.ENTER)
        .heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Task(
                    new Wish.Task("mail", "task-000"),
                    Samples.task("task-000", state),
                    "Its last attempt failed. It is due in 5 min.")));
  }

  private static Model history() {
    return press(Samples.queues(), "jjH")
        .heard(Samples.batch(Samples.overview(), Samples.history("mail")));
  }

  private static Model servers() {
    return press(Samples.queues(), "2")
        .heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Servers(
                    List.of(
                        Samples.server("0f1e2d3c", 71, "active", 3),
                        Samples.server("4b5a6978", 72, "stopped", 10)))));
  }

  private static Model schedules() {
    return press(Samples.queues(), "3")
        .heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Schedules(
                    List.of(
                        Samples.schedule("nightly", true, null),
                        Samples.schedule("weekly", true, Samples.NOW)))));
  }

  private static Model redis() {
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
    return press(Samples.queues(), "4")
        .heard(Samples.batch(Samples.overview(), new Answer.Redis(info)));
  }

  @Test
  void whereOneIsInALongTextStandsBelowItUnlessSomethingIsSaid() {
    Model help = press(Samples.queues(), "?");
    List<String> lines = Samples.text(help).lines().toList();
    assertThat(lines.get(Painter.BODY)).isEqualTo(" Everywhere");
    assertThat(lines.get(22)).endsWith(" 1–20 of 55");
    assertThat(Samples.text(help.saying("Well done.", true)))
        .contains("Well done.")
        .doesNotContain(" of 55");
  }

  @Test
  void theOverviewHasBarsFiguresAndSparklines() {
    assertLooksLike("queues", press(Samples.queues(), "j"));
  }

  @Test
  void aWideTerminalHasMoreColumns() {
    assertLooksLike("queues-wide", Samples.queues(new Size(160, 20)));
  }

  @Test
  void aQueueHasATabForEachState() {
    assertLooksLike("queue-retry", queue(TaskState.RETRY));
    assertThat(Samples.text(queue(TaskState.AGGREGATING))).contains("GROUP", "digest", "2 groups");
  }

  @Test
  void aTaskIsShownWithEverythingThatIsKnown() {
    assertLooksLike("task", task(TaskState.RETRY));
  }

  @Test
  void aHistoryHasABarForEachDay() {
    assertLooksLike("history", history());
    assertThat(Samples.text(press(Samples.queues(), "H"))).contains("Looking …");
    Model gone =
        history()
            .heard(
                Samples.batch(
                    Samples.overview(),
                    new Answer.Nothing(
                        new Wish.History("mail", 90), "queue \"mail\" does not exist")));
    assertThat(Samples.text(gone)).contains("does not exist");
  }

  @Test
  void aBarShowsWhatWentWellAndWhatDidNot() {
    assertThat(Charts.parts(0, 0, 10, 10)).allMatch(span -> span.text().isEmpty());
    assertThat(Charts.parts(8, 2, 10, 10)).extracting(Span::text).containsExactly("████████", "██");
    // However few failed, they are seen.
    assertThat(Charts.parts(999, 1, 1_000, 10))
        .extracting(Span::text)
        .containsExactly("█████████", "█");
    assertThat(Charts.parts(0, 10, 10, 5)).extracting(Span::text).containsExactly("", "█████");
    assertThat(Charts.parts(1, 1, 1_000, 10)).containsExactly(new Span("█", Style.BAD));
  }

  @Test
  void serversAndOneOfThem() {
    assertLooksLike("servers", servers());
    assertThat(Samples.text(press(servers(), Key.Code.ENTER)))
        .contains("host-a:71", "3 of 10 busy", "critical:6 default:1", "task-001", "RUNS FOR");
  }

  @Test
  void schedulesAndOneOfThem() {
    assertLooksLike("schedules", schedules());
    Model one = press(schedules(), Key.Code.ENTER);
    Model known =
        one.heard(
            Samples.batch(
                Samples.overview(),
                new Answer.Events(
                    (Wish.Events) one.wish(),
                    Samples.schedule("nightly", true, null),
                    List.of(new ScheduleEvent("task-9", Samples.NOW.minusSeconds(180), null)))));
    assertThat(Samples.text(known)).contains("*/5 * * * *", "HAS ENQUEUED", "task-9");
  }

  @Test
  void redisWarnsOfAnEvictionThatLosesTasks() {
    assertLooksLike("redis", redis());
  }

  @Test
  void theHelpHasAllKeys() {
    assertLooksLike("help", press(Samples.queues(new Size(80, 70)), "?"));
  }

  @ParameterizedTest
  @EnumSource(TaskState.class)
  void everyStateHasItsColumns(TaskState state) {
    String text = Samples.text(queue(state));
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
    Size size = new Size(width, height);
    for (Model model :
        List.of(
            Samples.queues(),
            queue(TaskState.RETRY),
            queue(TaskState.AGGREGATING),
            press(queue(TaskState.RETRY), "A"),
            history(),
            task(TaskState.ARCHIVED),
            servers(),
            press(servers(), Key.Code.ENTER),
            schedules(),
            redis(),
            press(Samples.queues(), "?"))) {
      Grid grid = Painter.paint(model.sized(size));
      assertThat(grid.text().lines()).hasSize(height).allMatch(line -> line.length() <= width);
      // The selected row is seen in whatever size.
      if (model.view() instanceof RowsView) {
        assertThat(hasSelection(grid)).as(grid.text()).isTrue();
      }
    }
  }

  private static boolean hasSelection(Grid grid) {
    for (int y = 0; y < grid.height(); y++) {
      if (grid.style(0, y) == Style.SELECTED) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aTerminalThatIsTooSmallIsToldSo() {
    assertThat(Samples.text(Samples.queues(new Size(30, 8)))).contains("needs 50×14");
    assertThat(Samples.text(Samples.queues(new Size(3, 1)))).isEqualTo("asy");
  }

  @Test
  void anOutageIsABannerWithTheReasonAndTheAgeOfTheData() {
    Model away =
        Samples.queues()
            .at(Samples.NOW.plusSeconds(42))
            .unheard("cannot connect to Redis at localhost:6379");
    Grid grid = Painter.paint(away);
    assertThat(grid.row(0)).contains("REDIS DOES NOT ANSWER, what you see is 42s old");
    assertThat(grid.style(0, 0)).isEqualTo(Style.BANNER);
    assertThat(grid.text()).contains("cannot connect to Redis at localhost:6379", "critical");
    Model backAgain = away.heard(Samples.batch(Samples.overview(), null)).at(Samples.NOW);
    assertThat(Painter.paint(backAgain).row(0)).contains("ping 0.3 ms");
  }

  @Test
  void anAnswerThatDoesNotComeIsSaidToo() {
    Model waiting = Samples.model(Size.USUAL);
    assertThat(Painter.paint(waiting).row(0)).contains("connecting …");
    assertThat(Painter.paint(waiting.at(Samples.NOW.plusSeconds(7))).row(0))
        .contains("NO ANSWER FROM REDIS for 7s, nothing was seen yet");
  }

  @Test
  void aQueueThatCannotBeReadIsOneBrokenRow() {
    QueueRow broken =
        new QueueRow("odd", null, QueueRow.UNKNOWN, Trend.NONE, "WRONGTYPE: pending is a set");
    Model model =
        Samples.model(Size.USUAL)
            .heard(
                Samples.batch(
                    Samples.overview(List.of(Samples.row("fine", 1, 0, 0, null), broken)), null));
    assertThat(Samples.text(model)).contains("fine", "odd", "broken");
    assertThat(Samples.text(press(model, "j"))).contains("WRONGTYPE: pending is a set");
  }

  @Test
  void aTaskThatIsGoneSaysSoAndShowsWhatItWas() {
    Model gone =
        task(TaskState.RETRY)
            .heard(
                Samples.batch(
                    Samples.overview(),
                    new Answer.Nothing(
                        new Wish.Task("mail", "task-000"), "There is no such task.")));
    assertThat(Samples.text(gone))
        .contains("There is no such task.", "This is what it was", "email:welcome");
  }

  @Test
  void aLongSentenceTakesSeveralLines() {
    String reason = "word ".repeat(30) + "end";
    Grid grid = Painter.paint(Samples.queues().unheard(reason));
    assertThat(grid.row(grid.height() - 2)).endsWith("end");
    assertThat(grid.row(grid.height() - 3)).startsWith(" word");
    assertThat(grid.row(grid.height() - 1)).contains("q quit");
  }

  @Test
  void aLongQuestionKeepsItsChoicesInSight() {
    Model asked = press(queue(TaskState.RETRY), "d");
    Question question = Objects.requireNonNull(asked.question());
    Model longer =
        asked.asking(new Question("Delete " + "x".repeat(200) + "?", question.choices()));
    assertThat(Samples.text(longer)).contains("Delete xxx", "… ", " y yes  n no");
  }

  @Test
  void whatIsSaidIsSaidForAWhile() {
    Model said = Samples.queues().saying("Queue \"mail\" is paused.", true);
    assertThat(Samples.text(said)).contains("Queue \"mail\" is paused.");
    assertThat(Samples.text(said.at(Samples.NOW.plusSeconds(60)))).doesNotContain("is paused.");
    assertThat(Samples.text(press(said, "j"))).doesNotContain("is paused.");
  }
}
