package io.asynq4j.cli.dash.screen;

/** A piece of text in one style. Immutable. */
public record StyledText(String text, Style style) {

  public static StyledText plain(String text) {
    return new StyledText(text, Style.PLAIN);
  }

  public static StyledText dim(String text) {
    return new StyledText(text, Style.DIM);
  }

  public static StyledText bold(String text) {
    return new StyledText(text, Style.BOLD);
  }
}
