package io.asynq4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every relative link in the documents leads to a file, and to a heading if it names one. */
class DocumentLinksTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      Stream.concat(root, docs)
          .filter(path -> path.toString().endsWith(".md"))
          .sorted()
          .forEach(documents::add);
    }
    return documents;
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int count = 0;
    for (Path document : documents()) {
      Matcher link = LINK.matcher(Files.readString(document));
      while (link.find()) {
        String target = link.group(1);
        if (!target.matches("[a-z]+:.*")) {
          count++;
          if (!exists(document, target)) {
            broken.add(ROOT.relativize(document) + ": " + target);
          }
        }
      }
    }

    assertThat(count).isGreaterThan(50);
    assertThat(broken).isEmpty();
  }

  @Test
  void everyDocumentIsInTheIndex() throws IOException {
    Path docs = ROOT.resolve("docs");
    String index = Files.readString(docs.resolve("README.md"));
    for (Path document : documents()) {
      if (document.startsWith(docs) && !document.endsWith("README.md")) {
        assertThat(index).contains("(" + docs.relativize(document) + ")");
      }
    }
  }

  private static boolean exists(Path document, String target) throws IOException {
    int hash = target.indexOf('#');
    String file = hash < 0 ? target : target.substring(0, hash);
    Path path = file.isEmpty() ? document : document.resolveSibling(file).normalize();
    return Files.exists(path) && (hash < 0 || anchors(path).contains(target.substring(hash + 1)));
  }

  /** The anchors that GitHub makes of the headings of a document. */
  private static Set<String> anchors(Path document) throws IOException {
    Set<String> anchors = new TreeSet<>();
    for (String line : Files.readAllLines(document)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        anchors.add(
            heading
                .group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w\\- ]", "")
                .replace(' ', '-'));
      }
    }
    return anchors;
  }
}
