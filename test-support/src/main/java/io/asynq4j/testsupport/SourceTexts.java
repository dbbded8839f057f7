package io.asynq4j.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Texts in Java sources. String literals are messages of exceptions, log lines and HTTP problems:
 * those joined by a plus sign are one text, and those without a blank are not texts.
 */
public final class SourceTexts {

  private static final String STRING = "\"(?:\\\\.|[^\"\\\\\n])*+\"";

  /** Comments and characters are matched too, so that quotes in them start no literal. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<comment>//[^\n]*+|/\\*.*?\\*/)|'(?:\\\\.|[^'\\\\])'|(?<text>\"\"\".*?\"\"\"|"
              + STRING
              + "(?:\\s*+\\+\\s*+"
              + STRING
              + ")*+)",
          Pattern.DOTALL);

  private static final Pattern SEAM = Pattern.compile("\"\\s*+\\+\\s*+\"");

  private static final Pattern COMMENT_MARK =
      Pattern.compile("(?m)^\\s*(?:/\\*\\*?|\\*(?!/)|//)|\\*/");

  private SourceTexts() {}

  /** Returns the texts in a source, in order. */
  public static List<String> of(String source) {
    List<String> texts = new ArrayList<>();
    Matcher token = TOKEN.matcher(source);
    while (token.find()) {
      String text = token.group("text");
      if (text != null && text.contains(" ")) {
        texts.add(SEAM.matcher(text).replaceAll(""));
      }
    }
    return texts;
  }

  /** Returns the comments in a source, in order, without their marks. */
  public static List<String> comments(String source) {
    List<String> comments = new ArrayList<>();
    Matcher token = TOKEN.matcher(source);
    while (token.find()) {
      String comment = token.group("comment");
      if (comment != null) {
        comments.add(COMMENT_MARK.matcher(comment).replaceAll("").strip());
      }
    }
    return comments;
  }

  /** Returns a message for each word in sources that the {@link Glossary} forbids. */
  public static List<String> violations(Path sources) throws IOException {
    return violations(sources, SourceTexts::of);
  }

  /** Returns a message for each word in the comments of sources that the glossary forbids. */
  public static List<String> violationsInComments(Path sources) throws IOException {
    return violations(sources, SourceTexts::comments);
  }

  private static List<String> violations(Path sources, Function<String, List<String>> texts)
      throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(sources)) {
      files =
          all.filter(file -> file.toString().endsWith(".java"))
              // The list itself.
              .filter(file -> !file.endsWith("Glossary.java"))
              .sorted()
              .toList();
    }
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      for (String text : texts.apply(Files.readString(file))) {
        for (String violation : Glossary.violations(text)) {
          found.add(sources.relativize(file) + ": " + violation);
        }
      }
    }
    return found;
  }
}
