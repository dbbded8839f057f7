package io.asynq4j.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of a document that a program writes: what stands between two comments of its name. */
public final class DocSection {

  private final Path file;
  private final String begin;
  private final String end;

  private DocSection(Path file, String name) {
    this.file = file;
    this.begin = "<!-- " + name + " -->\n";
    this.end = "<!-- /" + name + " -->\n";
  }

  /** Looks for the comments at once, before something is measured that takes its time. */
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
          "%s has no lines '%s' and '%s', between which to write; add them where the tables belong"
              .formatted(file, begin.strip(), end.strip()));
    }
    return new Place(from + begin.length(), to);
  }

  private String text() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(file + " is no file; give the document to write into");
    }
    return Files.readString(file);
  }

  /** Reads the rest again: it may have been edited meanwhile. */
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
