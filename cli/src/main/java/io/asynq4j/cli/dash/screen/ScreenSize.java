package io.asynq4j.cli.dash.screen;

/** The size of the terminal, in characters. Immutable. */
public record ScreenSize(int width, int height) {

  public static final ScreenSize USUAL = new ScreenSize(80, 24);

  private static final ScreenSize SMALLEST = new ScreenSize(50, 14);

  /** Title, menu, message and hints are always there. */
  private static final int FRAME = 4;

  public boolean isTooSmall() {
    return width < SMALLEST.width || height < SMALLEST.height;
  }

  public String needed() {
    return SMALLEST.width + "×" + SMALLEST.height;
  }

  /** The rows between menu and message. */
  public int body() {
    return Math.max(1, height - FRAME);
  }

  /** The rows that are left for a list when so many are taken by other things. */
  public int list(int others) {
    return Math.max(1, body() - others);
  }
}
