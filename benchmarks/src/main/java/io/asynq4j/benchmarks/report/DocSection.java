package io.asynq4j.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Section of a document that a program replaces: the text between two comments with its name. */
public final class DocSection {

  private final Path file;
  private final String begin;
  private final String end;

  private DocSection(Path file, String name) {
    this.file = file;
    this.begin = "<!-- " + name + " -->\n";
    this.end = "<!-- /" + name + " -->\n";
  }

  /** Checks the comments at once, before a long measurement. */
  public static DocSection of(Path file, String name) throws IOException {
    DocSection section = new DocSection(file, name);
    section.place(section.text());
    return section;
  }

  private record Place(int from, int to) {}

  private Place place(String text) {
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    if (from < 0 || to < from) {
      throw new IllegalArgumentException(
          "%s has no lines '%s' and '%s'; add them where the tables belong"
              .formatted(file, begin.strip(), end.strip()));
    }
    return new Place(from + begin.length(), to);
  }

  private String text() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(file + " is not a file; pass the document to write to");
    }
    return Files.readString(file);
  }

  /** Reads the document again, because it may have been edited in the meantime. */
  public void replace(String tables) throws IOException {
    String text = text();
    Place place = place(text);
    Files.writeString(
        file,
        text.substring(0, place.from())
            + '\n'
            + tables.strip()
            + "\n\n"
            + text.substring(place.to()));
  }
}
