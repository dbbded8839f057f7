package io.asynq4j.cli.dash;

/**
 * A key that was pressed. Immutable.
 *
 * @param character only for {@link Code#CHARACTER}
 */
record Key(Code code, char character) {

  /** Which key. */
  enum Code {
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

  static Key of(char character) {
    return new Key(Code.CHARACTER, character);
  }

  static Key of(Code code) {
    return new Key(code, '\0');
  }
}
