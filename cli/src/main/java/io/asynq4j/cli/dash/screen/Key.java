package io.asynq4j.cli.dash.screen;

/**
 * A pressed key. Immutable.
 *
 * @param character only for {@link Code#CHARACTER}
 */
public record Key(Code code, char character) {

  /** Kind of key. */
  public enum Code {
    CHARACTER,
    ENTER,
    ESCAPE,
    BACKSPACE,
    UP,
    DOWN,
    LEFT,
    RIGHT,
    PAGE_UP,
    PAGE_DOWN,
    HOME,
    END,
    TAB,
    BACK_TAB,
    REDRAW,
    REFRESH,
    QUIT
  }

  public static Key of(char character) {
    return new Key(Code.CHARACTER, character);
  }

  public static Key of(Code code) {
    return new Key(code, '\0');
  }
}
