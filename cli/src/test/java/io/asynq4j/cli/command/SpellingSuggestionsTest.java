package io.asynq4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpellingSuggestionsTest {

  private static final Set<String> KNOWN =
      Set.of("task", "stats", "queue", "--queue", "--payload", "archive", "archiveall");

  @ParameterizedTest
  @CsvSource({
    "tsak, task",
    "tak, task",
    "taskk, task",
    "tesk, task",
    "queu, queue",
    "--paylaod, --payload",
    "archivall, archiveall",
    "arhcive, archive"
  })
  void suggestsTheNearestKnownWordForATypo(String typed, String expected) {
    assertThat(SpellingSuggestions.nearest(typed, KNOWN)).containsExactly(expected);
  }

  @Test
  void unrelatedWordsGetNoSuggestion() {
    assertThat(SpellingSuggestions.nearest("xylophone", KNOWN)).isEmpty();
    assertThat(SpellingSuggestions.nearest("x", Set.of("task"))).isEmpty();
    assertThat(SpellingSuggestions.nearest("task", Set.of())).isEmpty();
  }
}
