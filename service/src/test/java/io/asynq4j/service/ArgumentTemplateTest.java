package io.asynq4j.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.OutcomeException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ArgumentTemplateTest {

  private static JsonNode params(String json) {
    return Json.parse(json.getBytes(StandardCharsets.UTF_8), "params");
  }

  @Test
  void paramsFillTheirPlacesAndNothingElse() {
    JsonNode params = params("{\"a\":\"x; rm -rf / $HOME {params.b}\",\"b\":{\"c\":7}}");
    assertThat(new ArgumentTemplate("--v={params.a}").fill(params))
        .isEqualTo("--v=x; rm -rf / $HOME {params.b}");
    assertThat(new ArgumentTemplate("{params.b.c}").fill(params)).isEqualTo("7");
    assertThat(new ArgumentTemplate("fixed").fill(params)).isEqualTo("fixed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":\"--option\"}",
        "{}",
        "{\"a\":null}",
        "{\"a\":[1]}",
        "{\"a\":\"\\u0000\"}"
      })
  void aParamThatWouldBeAnOptionOrIsNoValueArchivesTheTask(String json) {
    assertThatThrownBy(() -> new ArgumentTemplate("{params.a}").fill(params(json)))
        .isInstanceOf(OutcomeException.class)
        .satisfies(
            e -> assertThat(((OutcomeException) e).outcome()).isInstanceOf(Outcome.Archive.class));
  }
}
