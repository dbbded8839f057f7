package io.asynq4j.cli.output;

/** Adds ANSI colors to text if colors are enabled. Immutable. */
public record AnsiColors(boolean enabled) {

  public static final AnsiColors NONE = new AnsiColors(false);

  private static final String RESET = "\033[0m";

  public String bold(String text) {
    return in("1", text);
  }

  public String dim(String text) {
    return in("2", text);
  }

  public String red(String text) {
    return in("31", text);
  }

  public String green(String text) {
    return in("32", text);
  }

  public String yellow(String text) {
    return in("33", text);
  }

  public String blue(String text) {
    return in("34", text);
  }

  public String cyan(String text) {
    return in("36", text);
  }

  private String in(String code, String text) {
    return enabled && !text.isEmpty() ? "\033[" + code + "m" + text + RESET : text;
  }
}
