package io.asynq4j.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

  @ParameterizedTest
  @CsvSource(
      value = {
        "mail, mail, true",
        "mail, mail2, false",
        "mail-*, mail-, true",
        "mail-*, mail, false",
        "*-mail, fast-mail, true",
        "a*b*c, a-b-b-c, true",
        "a*b*c, acb, false",
        "ab*ba, aba, false",
        "ab*ba, abba, true",
        "*aa*aa*, aaa, false",
        "***, '', true",
        "'', '', true",
        "'', a, false",
        "a.b, axb, false",
        "*\\E*, x\\Ey, true",
        "Mail*, mail, false",
      })
  void aStarMatchesAnyCharacters(String pattern, String name, boolean matches) {
    assertThat(Glob.of(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void aPartMatchesInUpperAndLowerCase() {
    assertThat(Glob.within("É*L").matches("café-mail")).isTrue();
    assertThat(Glob.within("").matches("")).isTrue();
    assertThat(Glob.within("x").matches("mail")).isFalse();
  }

  @Test
  void matchesWhatTheSameRegularExpressionMatches() {
    Random random = new Random(42);
    for (int i = 0; i < 20_000; i++) {
      String pattern = random(random, "ab*", 8);
      String name = random(random, "ab", 10);
      boolean expected =
          Pattern.compile(pattern.replace("*", ".*"), Pattern.DOTALL).matcher(name).matches();
      assertThat(Glob.of(pattern).matches(name)).as("%s on %s", pattern, name).isEqualTo(expected);
    }
  }

  private static String random(Random random, String alphabet, int longest) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(longest + 1); left > 0; left--) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }

  /** A regular expression would need longer than the age of the world. */
  @Test
  @Timeout(60)
  void manyStarsCostNoMoreThanTheNameIsLong() {
    String name = "a".repeat(100_000);

    assertThat(Glob.of("*".repeat(500) + "z").matches(name)).isFalse();
    assertThat(Glob.of("a*".repeat(250) + "z").matches(name)).isFalse();
    assertThat(Glob.of("*a".repeat(250)).matches(name)).isTrue();
  }

  @Test
  void aPatternHasAMaximumLength() {
    assertThat(Glob.of("*".repeat(Glob.MAX_LENGTH)).matchesAll()).isTrue();
    assertThatThrownBy(() -> Glob.of("*".repeat(Glob.MAX_LENGTH + 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a pattern may have at most 512 characters, got 513");
  }

  @Test
  void patternsAreEqualByTheirText() {
    assertThat(Glob.of("a*")).isEqualTo(Glob.of("a*")).hasSameHashCodeAs(Glob.of("a*"));
    assertThat(Glob.of("a*")).isNotEqualTo(Glob.of("a")).hasToString("a*");
    assertThat(Glob.of("*a*")).isNotEqualTo(Glob.within("a"));
  }
}
