package io.asynq4j.dashboard;

import java.util.regex.Pattern;

/** A pattern in which {@code *} stands for any characters. Immutable. */
record Glob(Pattern pattern) {

  static Glob of(String text) {
    return new Glob(Pattern.compile(Pattern.quote(text).replace("*", "\\E.*\\Q"), Pattern.DOTALL));
  }

  /** The same without regard to case, anywhere in a name. */
  static Glob within(String text) {
    return new Glob(
        Pattern.compile(
            Pattern.quote("*" + text + "*").replace("*", "\\E.*\\Q"),
            Pattern.DOTALL | Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE));
  }

  boolean matches(String name) {
    return pattern.matcher(name).matches();
  }
}
