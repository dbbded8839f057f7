package io.asynq4j.cli.dash.screen;

/** Size of the terminal in characters. Immutable. */
public record ScreenSize(int width, int height) {

  public static final ScreenSize USUAL = new ScreenSize(80, 24);

  private static final ScreenSize SMALLEST = new ScreenSize(50, 14);

  /** Rows of title, menu, message and hints. */
  private static final int FRAME = 4;

  public boolean isTooSmall() {
    return width < SMALLEST.width || height < SMALLEST.height;
  }

  public String needed() {
    return SMALLEST.width + "×" + SMALLEST.height;
  }

  /** Rows between menu and message. */
  public int body() {
    return Math.max(1, height - FRAME);
  }

  /** Rows left for a list after other content has taken the given number. */
  public int list(int others) {
    return Math.max(1, body() - others);
  }
}
