package io.asynq4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.asynq4j.testsupport.Glossary;
import io.asynq4j.testsupport.SourceTexts;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The texts of all modules, all documents and the scripts use the terms of the project. */
class RepositoryTextsTest {

  private static final Path ROOT = Path.of("..");
  private static final Path SOURCES = Path.of("src/main/java");

  private static Stream<Path> modules() throws IOException {
    List<Path> modules;
    try (Stream<Path> all = Files.list(ROOT)) {
      modules =
          all.filter(directory -> Files.isDirectory(directory.resolve(SOURCES))).sorted().toList();
    }
    assertThat(modules).hasSizeGreaterThan(8);
    return modules.stream();
  }

  @TestFactory
  Stream<DynamicTest> messagesUseTheTermsOfTheProject() throws IOException {
    return modules()
        .map(
            module ->
                DynamicTest.dynamicTest(
                    module.getFileName().toString(),
                    () -> assertThat(SourceTexts.violations(module.resolve(SOURCES))).isEmpty()));
  }

  @TestFactory
  Stream<DynamicTest> documentsUseTheTermsOfTheProject() throws IOException {
    List<Path> documents = documents();
    assertThat(documents).hasSizeGreaterThan(30);
    return documents.stream()
        .map(
            document ->
                DynamicTest.dynamicTest(
                    ROOT.relativize(document).toString(),
                    () ->
                        assertThat(Glossary.violationsInMarkdown(Files.readString(document)))
                            .isEmpty()));
  }

  /** Without build results and hidden directories. */
  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes any) {
            String name = directory.getFileName().toString();
            boolean isSkipped =
                !directory.equals(ROOT)
                    && (name.startsWith(".") || Set.of("target", "node_modules").contains(name));
            return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes any) {
            if (file.toString().endsWith(".md")) {
              documents.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    documents.sort(null);
    return documents;
  }

  @Test
  void scriptsUseTheTermsOfTheProject() throws IOException {
    for (String script : List.of("asynq", "check", "matrix/run")) {
      assertThat(Glossary.violations(Files.readString(ROOT.resolve(script)))).as(script).isEmpty();
    }
  }

  @Test
  void codeInADocumentIsNoText() {
    assertThat(
            Glossary.violationsInMarkdown(
                "`Verdict` is told.\n```\nwhoever\n```\nIt\nsays so. `a\nverdict`"))
        .satisfiesExactly(
            first -> assertThat(first).startsWith("'told' in"),
            second -> assertThat(second).startsWith("'says' in"),
            third -> assertThat(third).startsWith("'verdict' in"));
  }

  @Test
  void commentsAreFoundWithoutTheirMarks() {
    assertThat(
            SourceTexts.comments(
                """
                /** A text that
                 * goes on. */
                String url = "http://told"; // Said.
                """))
        .containsExactly("A text that\n goes on.", "Said.");
  }
}
