package io.asynq4j.service;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A pattern of names in which {@code *} stands for anything. Immutable. */
record Glob(String text, Pattern pattern) {

  static Glob of(String text) {
    String regex =
        Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
    return new Glob(text, Pattern.compile(regex, Pattern.DOTALL));
  }

  boolean matches(String name) {
    return text.equals("*") || pattern.matcher(name).matches();
  }
}
