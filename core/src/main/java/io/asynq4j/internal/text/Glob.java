package io.asynq4j.internal.text;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A pattern for names in which {@code *} matches any characters, including none. Matching never
 * backtracks: its cost grows with the length of the name, whatever the pattern. Immutable.
 */
public final class Glob {

  /** The maximum length of a pattern, in characters. */
  public static final int MAX_LENGTH = 512;

  /** Stars in a row match what one of them matches. */
  private static final Pattern STARS = Pattern.compile("\\*++");

  private final String text;
  private final boolean ignoresCase;

  /** The texts before, between and after the stars; a single one where there is no star. */
  private final List<String> parts;

  private Glob(String text, boolean ignoresCase) {
    require(
        text.length() <= MAX_LENGTH,
        "a pattern may have at most " + MAX_LENGTH + " characters, got " + text.length());
    this.text = text;
    this.ignoresCase = ignoresCase;
    this.parts = List.of(STARS.split(ignoresCase ? fold(text) : text, -1));
  }

  /** Returns a pattern that must match a whole name. */
  public static Glob of(String text) {
    return new Glob(text, /* ignoresCase= */ false);
  }

  /** Returns a pattern that must match a part of a name, ignoring case. */
  public static Glob within(String text) {
    return new Glob("*" + text + "*", /* ignoresCase= */ true);
  }

  public boolean matches(String name) {
    String subject = ignoresCase ? fold(name) : name;
    String first = parts.get(0);
    if (parts.size() == 1) {
      return subject.equals(first);
    }
    String last = parts.get(parts.size() - 1);
    if (!subject.startsWith(first) || !subject.endsWith(last)) {
      return false;
    }
    int at = first.length();
    int end = subject.length() - last.length();
    for (String part : parts.subList(1, parts.size() - 1)) {
      // The leftmost place leaves the most for the parts that follow.
      int found = subject.indexOf(part, at);
      if (found < 0) {
        return false;
      }
      at = found + part.length();
    }
    return at <= end;
  }

  /** Folds case as {@code String.equalsIgnoreCase} does. */
  private static String fold(String text) {
    char[] folded = text.toCharArray();
    for (int i = 0; i < folded.length; i++) {
      folded[i] = Character.toLowerCase(Character.toUpperCase(folded[i]));
    }
    return new String(folded);
  }

  /** Returns whether the pattern matches every name. */
  public boolean matchesAll() {
    return parts.size() == 2 && parts.stream().allMatch(String::isEmpty);
  }

  /** Returns the pattern as it was given. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Glob glob && text.equals(glob.text) && ignoresCase == glob.ignoresCase;
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
