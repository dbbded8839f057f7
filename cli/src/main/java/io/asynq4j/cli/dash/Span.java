package io.asynq4j.cli.dash;

/** A piece of text in one style. Immutable. */
record Span(String text, Style style) {

  static Span plain(String text) {
    return new Span(text, Style.PLAIN);
  }

  static Span dim(String text) {
    return new Span(text, Style.DIM);
  }

  static Span bold(String text) {
    return new Span(text, Style.BOLD);
  }
}
