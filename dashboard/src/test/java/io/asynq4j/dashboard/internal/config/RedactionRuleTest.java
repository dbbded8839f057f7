package io.asynq4j.dashboard.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.http.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class RedactionRuleTest {

  private static final String DOCUMENT =
      "{'card':{'number':'4111','cvc':1},'users':[{'token':'a'},{'token':'b'}],'password':'p'}"
          .replace('\'', '"');

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "$.card.number | {'card':{'number':'[redacted]','cvc':1},'users':[{'token':'a'},{'token':'b'}],'password':'p'}",
        "$.card | {'card':'[redacted]','users':[{'token':'a'},{'token':'b'}],'password':'p'}",
        "$.users[*].token | {'card':{'number':'4111','cvc':1},'users':[{'token':'[redacted]'},{'token':'[redacted]'}],'password':'p'}",
        "$.users[1] | {'card':{'number':'4111','cvc':1},'users':[{'token':'a'},'[redacted]'],'password':'p'}",
        "$..token | {'card':{'number':'4111','cvc':1},'users':[{'token':'[redacted]'},{'token':'[redacted]'}],'password':'p'}",
        "$..password | {'card':{'number':'4111','cvc':1},'users':[{'token':'a'},{'token':'b'}],'password':'[redacted]'}",
        "$.* | {'card':'[redacted]','users':'[redacted]','password':'[redacted]'}",
        "$.nobody | {'card':{'number':'4111','cvc':1},'users':[{'token':'a'},{'token':'b'}],'password':'p'}"
      },
      quoteCharacter = '`')
  void masksWhatAPathMeans(String path, String expected) {
    JsonNode document = Json.read(DOCUMENT.getBytes(StandardCharsets.UTF_8)).orElseThrow();

    RedactionRule.of("*", path).mask(document);

    assertThat(Json.text(document)).isEqualTo(expected.replace('\'', '"'));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "$", "card.number", "$.", "$.a[", "$.a[x]", "$..", "$.a b["})
  void rejectsInvalidPaths(String path) {
    assertThatThrownBy(() -> RedactionRule.of("*", path))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
