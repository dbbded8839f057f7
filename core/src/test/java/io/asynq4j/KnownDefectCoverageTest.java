package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the requirement numbers in test sources with docs/reference/requirements.md: every cited
 * number is explained there, and every known defect of the protocol has a test or a reason.
 */
class KnownDefectCoverageTest {

  private static final Path PAGE = Path.of("../docs/reference/requirements.md");

  private static final String NUMBER = "(?:fixes[QW]\\d\\d|rule\\d\\d|[a-z]{1,2}\\d\\d)";

  /** Names such as {@code b04_fixesW09_anInvalidItemFailsAlone}. */
  private static final Pattern NUMBERED_NAME =
      Pattern.compile("\\b((?:" + NUMBER + "_)+)[a-z]\\w*");

  /** Names such as {@code i22ToI25_allOfAStateAreDeleted}, which cite all numbers in between. */
  private static final Pattern RANGE =
      Pattern.compile("\\b([a-z]{1,2})(\\d\\d)To([A-Z][a-z]?)(\\d\\d)_[a-z]\\w*");

  /** Names of argument sources, which have numbers only. */
  private static final Pattern NUMBERS_ONLY =
      Pattern.compile("\\b(" + NUMBER + "(?:_" + NUMBER + ")+)\\b");

  /** Reasons such as "Q-21: half a second is rounded up". */
  private static final Pattern CITED_DEFECT = Pattern.compile("\"([QW])-(\\d{1,2})[a-z]?\\b");

  @Test
  void everyDefectOfTheProtocolHasATestOrAReason() throws IOException {
    Set<String> answered = new TreeSet<>(numbers("fixesQ(\\d\\d)", tests(Path.of("src/test"))));
    answered.addAll(numbers("\\| Q-(\\d+) \\|", Files.readString(PAGE)));

    assertThat(answered)
        .containsAll(
            IntStream.rangeClosed(1, 37)
                .mapToObj(number -> String.format("%02d", number))
                .toList());
  }

  @Test
  void everyNumberThatATestCitesIsOnThePage() throws IOException {
    String sources = testsOfAllModules();
    Set<String> cited = new TreeSet<>();
    for (Pattern pattern : new Pattern[] {NUMBERED_NAME, NUMBERS_ONLY}) {
      Matcher name = pattern.matcher(sources);
      while (name.find()) {
        cited.addAll(Set.of(name.group(1).split("_", -1)));
      }
    }
    cited.remove("");
    Matcher range = RANGE.matcher(sources);
    while (range.find()) {
      assertThat(range.group(3)).as(range.group()).isEqualToIgnoringCase(range.group(1));
      IntStream.rangeClosed(Integer.parseInt(range.group(2)), Integer.parseInt(range.group(4)))
          .mapToObj(number -> String.format(Locale.ROOT, "%s%02d", range.group(1), number))
          .forEach(cited::add);
    }
    Matcher defect = CITED_DEFECT.matcher(sources);
    while (defect.find()) {
      cited.add(
          String.format(
              Locale.ROOT, "fixes%s%02d", defect.group(1), Integer.parseInt(defect.group(2))));
    }

    assertThat(cited).hasSizeGreaterThan(200);
    assertThat(onThePage()).containsAll(cited);
  }

  /** The numbers in the first column of the page's tables. */
  private static Set<String> onThePage() throws IOException {
    Set<String> numbers = new TreeSet<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = Pattern.compile("\\| `(" + NUMBER + ")` \\| .*").matcher(line);
      if (row.matches()) {
        assertThat(numbers.add(row.group(1))).as("%s is listed once", row.group(1)).isTrue();
      }
    }
    return numbers;
  }

  private static Set<String> numbers(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    Set<String> numbers = new TreeSet<>();
    while (matcher.find()) {
      numbers.add(String.format("%02d", Integer.parseInt(matcher.group(1))));
    }
    return numbers;
  }

  private static String testsOfAllModules() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return modules
          .map(module -> module.resolve("src/test"))
          .filter(Files::isDirectory)
          .map(KnownDefectCoverageTest::tests)
          .collect(Collectors.joining("\n"));
    }
  }

  private static String tests(Path directory) {
    try (Stream<Path> sources = Files.walk(directory)) {
      return sources
          .filter(path -> path.toString().endsWith(".java"))
          .map(KnownDefectCoverageTest::read)
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
