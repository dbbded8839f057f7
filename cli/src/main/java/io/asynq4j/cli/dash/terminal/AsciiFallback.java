package io.asynq4j.cli.dash.terminal;

/** ASCII replacements for other characters. */
public final class AsciiFallback {

  private static final String BLOCKS = "▁▂▃▄▅▆▇█";
  private static final String LEVELS = "_.-:=+*#";

  private AsciiFallback() {}

  public static char of(char c) {
    if (c < 0x80) {
      return c;
    }
    int level = BLOCKS.indexOf(c);
    if (level >= 0) {
      return LEVELS.charAt(level);
    }
    return switch (c) {
      case '─', '–' -> '-';
      case '…' -> '~';
      case '░', '·' -> '.';
      case '×' -> 'x';
      case '›', '→' -> '>';
      case '←' -> '<';
      case '↑' -> '^';
      case '↓' -> 'v';
      default -> '?';
    };
  }
}
