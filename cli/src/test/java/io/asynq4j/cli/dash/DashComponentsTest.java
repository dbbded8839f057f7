package io.asynq4j.cli.dash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.googlecode.lanterna.input.KeyStroke;
import com.googlecode.lanterna.input.KeyType;
import io.asynq4j.Payload;
import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.data.Trend;
import io.asynq4j.cli.dash.data.TrendTracker;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Charts;
import io.asynq4j.cli.dash.screen.CompactFormatter;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.PayloadRenderer;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.screen.Style;
import io.asynq4j.cli.dash.screen.StyledText;
import io.asynq4j.cli.dash.screen.Table;
import io.asynq4j.cli.dash.screen.TerminalText;
import io.asynq4j.cli.dash.terminal.AsciiFallback;
import io.asynq4j.cli.dash.terminal.LanternaDisplay;
import io.asynq4j.cli.dash.terminal.LastLinesOutputStream;
import io.asynq4j.inspect.QueueSnapshot;
import io.asynq4j.internal.text.ByteSizeFormat;
import io.asynq4j.internal.text.DurationFormat;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Single components of the terminal dashboard. */
class DashComponentsTest {

  // ---- text in cells

  @Test
  void escapeSequencesAreRemoved() {
    assertThat(TerminalText.fit("a\033[31mb\u0007c\u202Ed")).isEqualTo("a·[31mb·c·d");
    assertThat(TerminalText.fit("e\u0301 \uD83D\uDE00 \uD800")).isEqualTo("e · ·");
  }

  @Test
  void wideCharactersTakeTwoCells() {
    assertThat(TerminalText.width("日本")).isEqualTo(4);
    assertThat(TerminalText.cut("日本語", 5)).isEqualTo("日本…");
    assertThat(TerminalText.cut("日本語", 4)).isEqualTo("日…");
    CharacterGrid grid = new CharacterGrid(new ScreenSize(5, 1));
    grid.put(0, 0, "a日本語", Style.PLAIN);
    assertThat(grid.row(0)).isEqualTo("a日本");
    assertThat(grid.character(2, 0)).isEqualTo(CharacterGrid.REST);
    CharacterGrid narrow = new CharacterGrid(new ScreenSize(2, 1));
    narrow.put(0, 0, "a日", Style.PLAIN);
    assertThat(narrow.row(0)).isEqualTo("a");
  }

  @Test
  void textIsCutAndPadded() {
    assertThat(TerminalText.cut("abcdef", 4)).isEqualTo("abc…");
    assertThat(TerminalText.cut("abcd", 4)).isEqualTo("abcd");
    assertThat(TerminalText.cut("abcd", 0)).isEmpty();
    assertThat(TerminalText.pad("ab", 4, /* right= */ true)).isEqualTo("  ab");
    assertThat(TerminalText.cut("x".repeat(10_000_000), 10)).hasSize(10);
  }

  // ---- figures

  @ParameterizedTest
  @CsvSource({
    "0,0s",
    "250,250ms",
    "3200,3.2s",
    "9999,9.9s",
    "10000,10s",
    "310000,5m10s",
    "7380000,2h03m",
    "180000000,2d02h"
  })
  void durationsAreShort(long millis, String text) {
    assertThat(CompactFormatter.time(Duration.ofMillis(millis))).isEqualTo(text);
    assertThat(DurationFormat.tryParse(text)).isPresent();
  }

  @Test
  void numbersAreShort() {
    assertThat(CompactFormatter.count(999_999)).isEqualTo("999,999");
    assertThat(CompactFormatter.count(1_234_567)).isEqualTo("1.2M");
    assertThat(CompactFormatter.brief(12_345)).isEqualTo("12k");
    assertThat(CompactFormatter.brief(999_999)).isEqualTo("1.0M");
    assertThat(CompactFormatter.rate(12.34)).isEqualTo("12.3");
    assertThat(ByteSizeFormat.approximate(1_536)).isEqualTo("1.5 KiB");
    assertThat(CompactFormatter.percent(1, 3)).isEqualTo("33.3%");
    assertThat(CompactFormatter.percent(0, 0)).isEqualTo("-");
  }

  @Test
  void timesAreRelative() {
    Instant now = SampleModels.NOW;
    assertThat(CompactFormatter.ago(now.minusSeconds(90), now)).isEqualTo("1m30s ago");
    assertThat(CompactFormatter.in(now.plusSeconds(90), now)).isEqualTo("in 1m30s");
    assertThat(CompactFormatter.in(now.minusSeconds(1), now)).isEqualTo("now");
    assertThat(CompactFormatter.ago(null, now)).isEqualTo("-");
  }

  @Test
  void durationsAreReadAsGoWritesThem() {
    assertThat(DurationFormat.parse("1m30s")).isEqualTo(Duration.ofSeconds(90));
    assertThat(DurationFormat.parse("500ms")).isEqualTo(Duration.ofMillis(500));
    assertThat(DurationFormat.parse("2d")).isEqualTo(Duration.ofDays(2));
    assertThatThrownBy(() -> DurationFormat.parse("8"))
        .hasMessageContaining("\"8\" is not a duration");
  }

  // ---- charts and tables

  @Test
  void sparklinesEndWithTheNewest() {
    assertThat(Charts.sparkline(List.of(0.0, 1.0, 7.0), 5)).isEqualTo("  ▁▂█");
    assertThat(Charts.sparkline(List.of(9.0, 0.0, 0.0), 2)).isEqualTo("▁▁");
    assertThat(Charts.sparkline(List.of(), 3)).isEqualTo("   ");
  }

  @Test
  void barsShowEveryStateThatHasTasks() {
    List<StyledText> bar =
        Charts.bar(
            Map.of(TaskState.PENDING, 1_000_000L, TaskState.RETRY, 1L, TaskState.ACTIVE, 1L),
            1_000_002,
            10);
    assertThat(bar.stream().map(StyledText::style))
        .containsExactly(Style.ACTIVE, Style.PENDING, Style.RETRY, Style.PLAIN);
    assertThat(bar.stream().mapToInt(span -> span.text().length()).sum()).isEqualTo(10);
    assertThat(Charts.bar(Map.of(TaskState.PENDING, 1L), 1_000, 10).get(0).text()).isEqualTo("█");
    assertThat(Charts.bar(Map.of(), 10, 4)).containsExactly(StyledText.plain("    "));
    List<StyledText> half = Charts.bar(Map.of(TaskState.PENDING, 50L), 100, 10);
    assertThat(half.get(0).text()).hasSize(5);
  }

  @Test
  void aTableOmitsTheLeastImportantColumns() {
    List<Table.Column> columns =
        List.of(
            Table.Column.flexible("NAME", 10, 100),
            Table.Column.left("RARE", 10, 1),
            Table.Column.right("SIZE", 8, 50));
    Table narrow = new Table(25, columns);
    assertThat(narrow.width(1)).isZero();
    assertThat(narrow.width(0) + 1 + narrow.width(2)).isEqualTo(25);
    Table wide = new Table(60, columns);
    assertThat(wide.width(1)).isEqualTo(10);
    assertThat(wide.width(0) + wide.width(1) + wide.width(2) + 2).isEqualTo(60);
  }

  @Test
  void asciiTerminalsGetAscii() {
    assertThat(AsciiFallback.of('█')).isEqualTo('#');
    assertThat(AsciiFallback.of('…')).isEqualTo('~');
    assertThat(AsciiFallback.of('日')).isEqualTo('?');
    assertThat(AsciiFallback.of('a')).isEqualTo('a');
    assertThat(DashCommand.hasUtf8(Map.of("LANG", "de_DE.UTF-8"))).isTrue();
    assertThat(DashCommand.hasUtf8(Map.of("LANG", "de_DE.UTF-8", "LC_ALL", "C"))).isFalse();
    assertThat(DashCommand.hasUtf8(Map.of())).isFalse();
  }

  // ---- payloads

  @Test
  void jsonIsIndentedAndOtherwiseUnchanged() {
    Payload json =
        Payload.ofUtf8(
            "{\"b\":1.50,\"a\":[1,{ }],\"t\":\"x,\\\"{y\",\"big\":12345678901234567890}");
    assertThat(PayloadRenderer.lines(json, PayloadRenderer.Form.AUTO, 60))
        .containsExactly(
            "{",
            "  \"b\": 1.50,",
            "  \"a\": [",
            "    1,",
            "    {}",
            "  ],",
            "  \"t\": \"x,\\\"{y\",",
            "  \"big\": 12345678901234567890",
            "}");
    assertThat(PayloadRenderer.kind(json)).isEqualTo("json");
  }

  @Test
  void textAndBytesAreShownAsSuch() {
    Payload text = Payload.ofUtf8("hello\nworld, this is long");
    assertThat(PayloadRenderer.lines(text, PayloadRenderer.Form.AUTO, 12))
        .containsExactly("hello", "world, this", "is long");
    assertThat(PayloadRenderer.lines(text, PayloadRenderer.Form.JSON, 12))
        .containsExactly("(not JSON)");
    Payload bytes = Payload.of(new byte[] {0, (byte) 0xff, 'A'});
    assertThat(PayloadRenderer.lines(bytes, PayloadRenderer.Form.AUTO, 80).get(0))
        .startsWith("0000  00 ff 41")
        .endsWith("..A");
    assertThat(PayloadRenderer.preview(bytes)).isEqualTo("<binary, 3 B>");
    assertThat(PayloadRenderer.preview(Payload.absent())).isEqualTo("-");
    assertThat(PayloadRenderer.preview(Payload.ofUtf8("{\n  \"a\": 1\n}")))
        .isEqualTo("{ \"a\": 1 }");
    assertThat(PayloadRenderer.lines(Payload.absent(), PayloadRenderer.Form.AUTO, 80))
        .containsExactly("(nothing)");
  }

  @Test
  void longPayloadsAreShownInPart() {
    // Cut in the middle of a character.
    Payload text = Payload.ofUtf8("é".repeat(1_000_000));
    List<String> lines = PayloadRenderer.lines(text, PayloadRenderer.Form.AUTO, 100);
    assertThat(lines).hasSizeLessThan(1_000);
    assertThat(lines.get(lines.size() - 1)).contains("1.8 MiB more");
    assertThat(PayloadRenderer.preview(Payload.ofUtf8("xé".repeat(1_000)))).startsWith("xéxé");
    assertThat(PayloadRenderer.lines(text, PayloadRenderer.Form.HEX, 100)).hasSizeLessThan(300);
  }

  // ---- searches

  private static boolean finds(String search, TaskInfo task) {
    return SearchParser.parse(search).matches(task, SampleModels.NOW);
  }

  @ParameterizedTest
  @CsvSource({
    "WELCOME,true",
    "type:email:*,true",
    "type:email,false",
    "id:task-0,true",
    "id:ask,false",
    "error:REFUSED,true",
    "$.user=42,true",
    "$.user=43,false",
    "$.tags,true",
    "header:trace=t-1,true",
    "header:trace,true",
    "header:span,false",
    "retried:3,true",
    "retried:4,false",
    "welcome refused,true",
    "welcome nothing,false",
    "payload:tags,true",
    "t-1,true",
    "\"connection refused\",true",
    "\"refused connection\",false"
  })
  void searchesFindMatchingRows(String search, boolean isFound) {
    assertThat(finds(search, SampleModels.task("task-001", TaskState.RETRY))).isEqualTo(isFound);
  }

  @Test
  void searchesKnowAges() {
    TaskInfo pending = SampleModels.task("a", TaskState.PENDING);
    assertThat(finds("older:5s", pending)).isTrue();
    assertThat(finds("older:1m", pending)).isFalse();
    assertThat(finds("younger:1m", pending)).isTrue();
    assertThatThrownBy(() -> SearchParser.parse("retried:many")).hasMessageContaining("retried:3");
  }

  // ---- trends

  private static QueueSnapshot look(String queue, long millis, long processed) {
    return QueueSnapshot.builder(queue, SampleModels.NOW.plusMillis(millis))
        .processed(processed)
        .oldestPendingSince(SampleModels.NOW.plusMillis(millis - 500))
        .build();
  }

  @Test
  void ratesAreComputedFromSuccessiveSnapshots() {
    TrendTracker trends = new TrendTracker(Duration.ofSeconds(1));
    assertThat(trends.add(look("q", 0, 100), true).rates()).isEmpty();
    Trend second = trends.add(look("q", 2_000, 150), true);
    assertThat(second.rates()).containsExactly(25.0);
    assertThat(second.latencies()).containsExactly(0.5);
    // Too soon after the last snapshot to compute a rate.
    assertThat(trends.add(look("q", 2_100, 151), true).rates()).hasSize(1);
    assertThat(trends.add(look("q", 4_000, 0), true).rate()).isZero();
  }

  @Test
  void trendsKeepALimitedHistory() {
    TrendTracker trends = new TrendTracker(Duration.ofSeconds(1));
    Trend trend = Trend.NONE;
    for (int i = 0; i < 500; i++) {
      trend = trends.add(look("q", i * 1_000L, i), true);
    }
    assertThat(trend.rates()).hasSize(120);
    for (int i = 0; i < 600; i++) {
      trends.add(look("other" + i, 0, 0), false);
      trend = trends.add(look("other" + i, 1_000, 5), false);
    }
    // Of queues that are not visible, only the last rate is known.
    assertThat(trend.rate()).isEqualTo(5);
    assertThat(trend.rates()).isEmpty();
    assertThat(trends.add(look("other599", 2_000, 10), true).rates()).hasSize(1);
    trends.retain(Set.of());
    assertThat(trends.add(look("q", 900_000, 5), true).rates()).isEmpty();
  }

  // ---- the edge

  @Test
  void keysAreTranslated() {
    assertThat(LanternaDisplay.key(new KeyStroke('c', true, false)))
        .contains(Key.of(Key.Code.QUIT));
    assertThat(LanternaDisplay.key(new KeyStroke('l', true, false)))
        .contains(Key.of(Key.Code.REDRAW));
    assertThat(LanternaDisplay.key(new KeyStroke('c', false, false))).contains(Key.of('c'));
    assertThat(LanternaDisplay.key(new KeyStroke('c', false, true))).isEmpty();
    assertThat(LanternaDisplay.key(new KeyStroke(KeyType.ReverseTab)))
        .isEqualTo(Optional.of(Key.of(Key.Code.BACK_TAB)));
    assertThat(LanternaDisplay.key(new KeyStroke(KeyType.EOF))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5,is not a duration", "10ms,must be at least 200ms"})
  void anInvalidIntervalIsRefused(String interval, String problem) {
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new DashCommand())
            .setErr(new PrintWriter(err, /* autoFlush= */ true))
            .execute("--interval", interval);
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains(problem);
  }

  @Test
  void theLastLinesAreKept() {
    LastLinesOutputStream lines = new LastLinesOutputStream();
    PrintStream stream = lines.stream();
    for (int i = 0; i < 30; i++) {
      stream.println("line " + i);
    }
    stream.write("ü\n".getBytes(StandardCharsets.UTF_8), 0, 3);
    stream.flush();
    assertThat(lines.lines()).hasSize(20).endsWith("line 29", "ü").startsWith("line 11");
  }
}
