package io.asynq4j.service.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.handler.Outcome;
import io.asynq4j.handler.OutcomeException;
import io.asynq4j.http.Json;
import io.asynq4j.service.response.Problems;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ArgumentTemplateTest {

  private static JsonNode params(String json) {
    return Json.parse(json.getBytes(StandardCharsets.UTF_8), "params", Problems.FACTORY);
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
  @CsvSource({
    "{params.a}{params.b}, '', --x",
    "{params.a}{params.b}, -, -x",
    "{params.a}-{params.b}, '', x",
    "{params.a}--x, '', ''",
    "-{params.a}, -x, ''",
    "--{params.a}{params.b}, '', -x"
  })
  void paramsTogetherMakeNoOptionEither(String text, String a, String b) {
    JsonNode params = params("{\"a\":\"%s\",\"b\":\"%s\"}".formatted(a, b));
    assertThatThrownBy(() -> new ArgumentTemplate(text).fill(params))
        .isInstanceOf(OutcomeException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "-O{params.a}, 2, '', -O2",
    "--x={params.a}, -1, '', --x=-1",
    "-{params.a}, v, '', -v",
    "{params.a}-{params.b}, 1, 2, 1-2"
  })
  void optionsOfTheConfigurationStay(String text, String a, String b, String argument) {
    JsonNode params = params("{\"a\":\"%s\",\"b\":\"%s\"}".formatted(a, b));
    assertThat(new ArgumentTemplate(text).fill(params)).isEqualTo(argument);
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
