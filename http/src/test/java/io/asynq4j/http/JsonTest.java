package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class JsonTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static JsonNode parse(String text) {
    return Json.parse(bytes(text), "the body", TestProblems.INSTANCE);
  }

  @Test
  void numbersKeepTheirDigits() {
    String text = "{\"a\":12345678901234567890123,\"b\":1.50,\"c\":0.1}";
    assertThat(Json.text(parse(text))).isEqualTo(text);
    assertThat(Json.read(bytes(text)).map(Json::text)).contains(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'a':1,                  | is not valid JSON at line 1, column",
        "{'a':1} {}               | is not valid JSON",
        "{'a':1,'a':2}            | is not valid JSON",
        "{'a':1e300000}           | exceeds a limit",
        "{'a':1e99999999999}      | exceeds a limit",
        "''                       | is empty"
      })
  void reportsWhereABodyIsInvalid(String text, String detail) {
    String json = text.equals("''") ? "" : text.replace('\'', '"');
    assertThatThrownBy(() -> parse(json))
        .isInstanceOf(Problem.class)
        .hasMessageStartingWith("the body ")
        .hasMessageContaining(detail);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[1, 2]", "1", "null", "\"a\""})
  void knowsJson(String text) {
    assertThat(Json.isJson(bytes(text))).isTrue();
    assertThat(Json.read(bytes(text))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "{} {}", "a", "{'a': 1}"})
  void knowsWhatIsNotJson(String text) {
    assertThat(Json.isJson(bytes(text))).isFalse();
    assertThat(Json.read(bytes(text))).isEmpty();
  }

  @Test
  void writesLines() {
    assertThat(Json.lines(List.of())).isEmpty();
    assertThat(Json.lines(List.of(Json.object().put("a", 1), Json.object().put("b", 2))))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("{\"a\":1}\n{\"b\":2}\n");
  }
}
