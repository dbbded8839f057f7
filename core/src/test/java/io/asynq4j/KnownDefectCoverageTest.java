package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every known defect of the original has a test that bears its number, or a reason in DECISIONS.md.
 */
class KnownDefectCoverageTest {

  @Test
  void everyQuirkOfTheProtocolIsFixedByATestOrDecidedOtherwise() throws IOException {
    Set<String> answered = new TreeSet<>(numbers("fixesQ(\\d\\d)", tests()));
    answered.addAll(numbers("\\| Q-(\\d+) \\|", Files.readString(Path.of("../DECISIONS.md"))));

    assertThat(answered)
        .containsAll(
            IntStream.rangeClosed(1, 37)
                .mapToObj(number -> String.format("%02d", number))
                .toList());
  }

  private static Set<String> numbers(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    Set<String> numbers = new TreeSet<>();
    while (matcher.find()) {
      numbers.add(String.format("%02d", Integer.parseInt(matcher.group(1))));
    }
    return numbers;
  }

  private static String tests() throws IOException {
    try (Stream<Path> sources = Files.walk(Path.of("src/test/java"))) {
      return sources
          .filter(path -> path.toString().endsWith(".java"))
          .map(KnownDefectCoverageTest::read)
          .collect(Collectors.joining("\n"));
    }
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
