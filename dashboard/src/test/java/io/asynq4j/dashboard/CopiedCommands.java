package io.asynq4j.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Lines for a shell, as the pages offer them to be copied. */
final class CopiedCommands {

  private CopiedCommands() {}

  /** All known commands; tests of the command line try each of them. */
  static List<String> known() {
    try (InputStream in =
        Objects.requireNonNull(CopiedCommands.class.getResourceAsStream("copied-commands.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The words of a line, as a POSIX shell would make them. */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean isWord = false;
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\'') {
        isQuoted = !isQuoted;
        isWord = true;
      } else if (!isQuoted && c == '\\') {
        word.append(line.charAt(++i));
        isWord = true;
      } else if (!isQuoted && c == ' ') {
        if (isWord) {
          words.add(word.toString());
        }
        word.setLength(0);
        isWord = false;
      } else {
        word.append(c);
        isWord = true;
      }
    }
    if (isQuoted) {
      throw new AssertionError("a quote is not closed: " + line);
    }
    if (isWord) {
      words.add(word.toString());
    }
    return words;
  }
}
