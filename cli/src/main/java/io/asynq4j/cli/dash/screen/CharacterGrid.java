package io.asynq4j.cli.dash.screen;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A screen of styled characters. Not thread-safe. */
public final class CharacterGrid {

  /** Second cell of a wide character. */
  public static final char REST = '\0';

  private final int width;
  private final int height;
  private final char[] characters;
  private final Style[] styles;

  public CharacterGrid(ScreenSize size) {
    this.width = size.width();
    this.height = size.height();
    this.characters = new char[width * height];
    this.styles = new Style[width * height];
    Arrays.fill(characters, ' ');
    Arrays.fill(styles, Style.PLAIN);
  }

  public int width() {
    return width;
  }

  public int height() {
    return height;
  }

  public char character(int x, int y) {
    return characters[y * width + x];
  }

  public Style style(int x, int y) {
    return styles[y * width + x];
  }

  /** Writes as much as fits and returns the column after it. */
  public int put(int x, int y, String text, Style style) {
    String fit = TerminalText.fit(text);
    int column = x;
    for (int i = 0; i < fit.length(); i++) {
      char c = fit.charAt(i);
      boolean isWide = TerminalText.isWide(c);
      if (isWide && column == width - 1) {
        set(column++, y, ' ', style);
        continue;
      }
      set(column++, y, c, style);
      if (isWide) {
        set(column++, y, REST, style);
      }
    }
    return column;
  }

  public int put(int x, int y, List<StyledText> spans) {
    int column = x;
    for (StyledText span : spans) {
      column = put(column, y, span.text(), span.style());
    }
    return column;
  }

  /** Writes a whole row in one style. */
  public void fill(int y, String text, Style style) {
    put(0, y, TerminalText.pad(text, width, /* right= */ false), style);
  }

  private void set(int x, int y, char c, Style style) {
    if (x >= 0 && x < width && y >= 0 && y < height) {
      characters[y * width + x] = c;
      styles[y * width + x] = style;
    }
  }

  /** Text of the grid, without trailing blanks. */
  public String text() {
    return IntStream.range(0, height).mapToObj(this::row).collect(Collectors.joining("\n"));
  }

  public String row(int y) {
    return new String(characters, y * width, width)
        .replace(Character.toString(REST), "")
        .stripTrailing();
  }
}
