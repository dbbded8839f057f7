package io.asynq4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RequestFieldsTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private static RequestFields fields(String json) {
    return new RequestFields(
        Json.parse(json.getBytes(StandardCharsets.UTF_8), "the body", TestProblems.INSTANCE),
        "the body",
        TestProblems.INSTANCE);
  }

  private static void refused(String code, String detail, ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.code()).isEqualTo(code))
        .hasMessageContaining(detail);
  }

  @Test
  void readsEachKindOfValue() {
    RequestFields fields =
        fields(
            """
            {"text": "a", "number": 5000000000, "int": 7, "flag": true, "texts": ["a", "b"],
             "map": {"k": "v"}, "time": "2030-01-01T12:00:00Z", "duration": "1h30m", "id": 12345678901234567890,
             "null": null}
            """);
    assertThat(fields.required("text")).isEqualTo("a");
    assertThat(fields.number("number")).contains(5_000_000_000L);
    assertThat(fields.integer("int")).contains(7);
    assertThat(fields.integer("int", 1, 9, 3)).isEqualTo(7);
    assertThat(fields.flag("flag", false)).isTrue();
    assertThat(fields.texts("texts")).containsExactly("a", "b");
    assertThat(fields.texts("texts", 2)).containsExactly("a", "b");
    assertThat(fields.map("map")).isEqualTo(Map.of("k", "v"));
    assertThat(fields.time("time")).contains(NOON);
    assertThat(fields.duration("duration")).contains(Duration.ofMinutes(90));
    assertThat(fields.id("id")).contains("12345678901234567890");
    assertThat(fields.text("null")).isEmpty();
    assertThat(fields.contains("null")).isTrue();
    fields.end();
  }

  @Test
  void whatIsMissingIsEmpty() {
    RequestFields fields = fields("{}");
    assertThat(fields.text("a")).isEmpty();
    assertThat(fields.number("a")).isEmpty();
    assertThat(fields.integer("a", 1, 9, 3)).isEqualTo(3);
    assertThat(fields.flag("a")).isEmpty();
    assertThat(fields.texts("a")).isEqualTo(List.of());
    assertThat(fields.map("a")).isEmpty();
    refused("invalid", "\"a\" is missing", () -> fields.required("a"));
    refused("invalid", "\"a\" is missing", () -> fields.texts("a", 2));
  }

  @Test
  void refusesOtherTypes() {
    RequestFields fields = fields("{\"a\": [1], \"b\": {\"k\": 1}, \"c\": 1.5}");
    refused("malformed", "\"a\" must be a string", () -> fields.text("a"));
    refused("malformed", "\"c\" must be a whole number", () -> fields.number("c"));
    refused("malformed", "\"c\" must be true or false", () -> fields.flag("c"));
    refused("malformed", "\"a\" must be a list of strings", () -> fields.texts("a"));
    refused("malformed", "\"c\" must be a list of strings", () -> fields.texts("c"));
    refused("malformed", "\"b\" must be an object with string values", () -> fields.map("b"));
    refused("malformed", "\"c\" must be an object with string values", () -> fields.map("c"));
    refused("malformed", "the body must be a JSON object", () -> fields("[]"));
  }

  @Test
  void refusesImpossibleValues() {
    RequestFields fields =
        fields(
            """
            {"int": 5000000000, "half": "\\ud800", "many": ["a", "b", "c"], "negative": "PT-5S",
             "soon": "soon", "late": "+10000-01-01T00:00:00Z"}
            """);
    refused("invalid", "\"int\" is too large", () -> fields.integer("int"));
    refused("invalid", "from 1 to 9", () -> fields.integer("int", 1, 9, 3));
    refused("invalid", "half of a surrogate pair", () -> fields.text("half"));
    refused("invalid", "a list of 1 to 2", () -> fields.texts("many", 2));
    refused("invalid", "must be a duration, such as", () -> fields.duration("negative"));
    refused("invalid", "must be a duration, such as", () -> fields.duration("soon"));
    refused("invalid", "must be a time such as", () -> fields.time("late"));
    refused("invalid", "must be a string or a whole number", () -> fields.id("many"));
  }

  @Test
  void refusesUnknownFields() {
    RequestFields read = fields("{\"a\": 1, \"b\": 2}");
    assertThat(read.number("a")).contains(1L);
    refused("malformed", "unknown field \"b\"; known fields: [a]", read::end);
    refused("malformed", "unknown field \"b\"", () -> fields("{\"b\": 2}").knowing("a"));
    assertThat(fields("{\"b\": 2}").knowing("a", "b").number("b")).contains(2L);
  }

  @Test
  void aTimeIsGivenAsSuchOrFromNow() {
    assertThat(fields("{\"at\": \"2030-01-01T12:00:00Z\"}").timeFrom(Instant.EPOCH))
        .isEqualTo(NOON);
    assertThat(fields("{\"in\": \"1h\"}").timeFrom(NOON)).isEqualTo(NOON.plusSeconds(3_600));
    refused("invalid", "either", () -> fields("{}").timeFrom(NOON));
    refused(
        "invalid",
        "either",
        () -> fields("{\"in\": \"1h\", \"at\": \"2030-01-01T12:00:00Z\"}").timeFrom(NOON));
    refused(
        "invalid",
        "too long",
        () -> fields("{\"in\": \"999999d\"}").timeFrom(Instant.parse("9000-01-01T00:00:00Z")));
  }
}
