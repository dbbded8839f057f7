package io.asynq4j.testing.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the code in the testing guide with the programs of this package, which run. */
class GuideTest {

  private static final Path GUIDE = Path.of("../docs/guides/testing.md");
  private static final Path SOURCES = Path.of("src/test/java/io/asynq4j/testing/guide");
  private static final Pattern CODE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

  @Test
  void allCodeOfTheGuideIsInAProgramThatRuns() throws IOException {
    List<String> blocks =
        CODE.matcher(Files.readString(GUIDE))
            .results()
            .map((MatchResult block) -> withoutIndentation(block.group(1)))
            .toList();
    String programs;
    try (Stream<Path> files = Files.list(SOURCES)) {
      programs = files.sorted().map(GuideTest::text).collect(Collectors.joining("\n"));
    }

    assertThat(blocks)
        .hasSizeGreaterThan(8)
        .allSatisfy(block -> assertThat(programs).contains(block));
  }

  @Test
  void theGuideBeginsWithACompleteClass() throws IOException {
    String first =
        CODE.matcher(Files.readString(GUIDE))
            .results()
            .map(block -> withoutIndentation(block.group(1)))
            .findFirst()
            .orElseThrow();
    String program = text(SOURCES.resolve("SignUpTest.java"));

    assertThat("package io.asynq4j.testing.guide;\n\n" + first).isEqualTo(program);
  }

  @Test
  void theGuideNamesTheVersionsThatTheProjectUses() throws IOException {
    String project = Files.readString(Path.of("../pom.xml"));
    String guide = withoutIndentation(Files.readString(GUIDE));

    for (String name : List.of("junit-jupiter", "jackson-databind", "asynq4j-testing")) {
      String property =
          switch (name) {
            case "junit-jupiter" -> "junit.version";
            case "jackson-databind" -> "jackson.version";
            default -> "version";
          };
      Matcher version = Pattern.compile("<" + property + ">(.*?)</").matcher(project);
      assertThat(version.find()).as(property).isTrue();
      assertThat(guide)
          .contains(
              "<artifactId>%s</artifactId>\n<version>%s</version>"
                  .formatted(name, version.group(1)));
    }
  }

  private static String text(Path file) {
    try {
      return withoutIndentation(Files.readString(file));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String withoutIndentation(String code) {
    return code.lines().map(String::strip).collect(Collectors.joining("\n"));
  }
}
