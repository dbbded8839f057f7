package io.asynq4j.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asynq4j.Payload;
import io.asynq4j.internal.text.DurationFormat;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputTest {

  private record Row(String name, long size) {}

  private static final List<Column<Row>> COLUMNS =
      List.of(
          Column.<Row>of("Name", "name", Row::name).mayBeCut(),
          Column.count("Size", "size", Row::size),
          Column.data("twice", row -> 2 * row.size()));

  private static String printed(OutputFormat format, int width, Row... rows) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new Printer(
            new PrintStream(bytes, true, StandardCharsets.UTF_8), format, AnsiColors.NONE, width)
        .list(List.of(rows), COLUMNS, "nothing");
    return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
  }

  @Test
  void aTableHasNumbersAtTheRight() {
    assertThat(printed(OutputFormat.TABLE, 0, new Row("a", 1), new Row("bcdef", 1_234)))
        .isEqualTo(
            """
            Name    Size
            -----  -----
            a          1
            bcdef  1,234
            """);
    assertThat(printed(OutputFormat.TABLE, 0)).isEqualTo("nothing\n");
  }

  @Test
  void longTextIsTruncated() {
    assertThat(printed(OutputFormat.TABLE, 30, new Row("x".repeat(40), 1)).lines())
        .last()
        .isEqualTo("x".repeat(23) + "…     1");
  }

  @Test
  void lessImportantColumnsAreOmittedInNarrowTerminals() {
    List<Column<Row>> columns =
        List.of(
            Column.of("Name", "name", Row::name),
            Column.<Row>count("Once", "once", Row::size).mayBeLeftOut(),
            Column.count("Size", "size", Row::size),
            Column.<Row>of("Again", "again", Row::name).mayBeCut().mayBeLeftOut());
    Row row = new Row("n".repeat(20), 7);

    assertThat(table(columns, row, 70)).startsWith("Name").contains("Once", "Size", "Again");
    // A column that may be shortened needs twelve characters.
    assertThat(table(columns, row, 46)).contains("Once", "Size", "Again", "nnnnnnnnnnn…");
    assertThat(table(columns, row, 45)).contains("Once", "Size").doesNotContain("Again");
    assertThat(table(columns, row, 26)).contains("Size").doesNotContain("Once", "Again");
    // The important columns stay, regardless of the width.
    assertThat(table(columns, row, 10)).contains("Name", "Size");
  }

  private static String table(List<Column<Row>> columns, Row row, int width) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new Printer(
            new PrintStream(bytes, true, StandardCharsets.UTF_8),
            OutputFormat.TABLE,
            AnsiColors.NONE,
            width)
        .list(List.of(row), columns, "nothing");
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void controlCharactersDoNotReachTheTerminal() {
    assertThat(printed(OutputFormat.TABLE, 0, new Row("a\033[2Jb\nc", 1))).contains("a�[2Jb c");
    assertThat(printed(OutputFormat.JSON, 0, new Row("a\033b\"\n", 1)))
        .contains("\"a\\u001bb\\\"\\n\"");
  }

  @Test
  void csvIsQuotedWhereNecessary() {
    assertThat(printed(OutputFormat.CSV, 0, new Row("a,\"b\"", 1_234)))
        .isEqualTo("name,size,twice\n\"a,\"\"b\"\"\",1234,2468\n");
  }

  @Test
  void jsonKeepsOrderAndDigits() {
    String text = "{\"b\":1.10,\"a\":[1,12345678901234567890,true,null,\"ü\"],\"c\":{}}";
    assertThat(JsonWriter.compact(JsonReader.read(text))).isEqualTo(text);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JsonReader.read("{\"password\": s3cret}"))
        .withMessageContaining("line 1")
        .withMessageNotContaining("s3cret");
    assertThatIllegalArgumentException().isThrownBy(() -> JsonReader.read("1 2"));
    assertThatIllegalArgumentException().isThrownBy(() -> JsonReader.read(""));
  }

  @Test
  void aPayloadIsJsonTextOrBytes() {
    assertThat(DecodedPayload.of(Payload.ofUtf8("{\"a\": 1}")).line()).isEqualTo("{\"a\": 1}");
    assertThat(DecodedPayload.of(Payload.ofUtf8("plain")).text()).isEqualTo("plain");
    assertThat(DecodedPayload.of(Payload.of(new byte[] {-1, 2})).base64()).isEqualTo("/wI=");
    assertThat(DecodedPayload.of(Payload.of(new byte[] {-1, 2})).line())
        .isEqualTo("(2 bytes, binary)");
    assertThat(DecodedPayload.of(Payload.absent()).line()).isEmpty();
  }

  @Test
  void timesAreShort() {
    assertThat(DurationFormat.approximate(Duration.ofSeconds(93_784))).isEqualTo("1d2h");
    assertThat(DurationFormat.approximate(Duration.ofMinutes(60))).isEqualTo("1h");
    assertThat(DurationFormat.approximate(Duration.ofMillis(350))).isEqualTo("350ms");
    Instant now = Instant.parse("2030-01-01T00:00:00Z");
    assertThat(TimeFormatter.relative(now.plusSeconds(65), now)).isEqualTo("in 1m5s");
    assertThat(TimeFormatter.relative(now.minusSeconds(2), now)).isEqualTo("2s ago");
    assertThat(TimeFormatter.relative(null, now)).isEqualTo("-");
  }

  @Test
  void aBarShowsHowFarItIs() {
    assertThat(ProgressBar.text("Run", 5, 10))
        .isEqualTo("Run [############............] 50% (5 of 10)");
    assertThat(ProgressBar.text("Run", 5, 0)).isEqualTo("Run 5");
  }
}
