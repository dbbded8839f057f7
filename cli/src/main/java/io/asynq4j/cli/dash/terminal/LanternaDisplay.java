package io.asynq4j.cli.dash.terminal;

import com.googlecode.lanterna.SGR;
import com.googlecode.lanterna.TerminalSize;
import com.googlecode.lanterna.TextCharacter;
import com.googlecode.lanterna.TextColor;
import com.googlecode.lanterna.input.KeyStroke;
import com.googlecode.lanterna.input.KeyType;
import com.googlecode.lanterna.screen.Screen.RefreshType;
import com.googlecode.lanterna.screen.TerminalScreen;
import io.asynq4j.cli.dash.model.DashEvent;
import io.asynq4j.cli.dash.screen.CharacterGrid;
import io.asynq4j.cli.dash.screen.Key;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.screen.Style;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Terminal on top of Lanterna, which no other class of this package uses. */
public final class LanternaDisplay implements Display {

  private final RawTerminal terminal;
  private final TerminalScreen screen;
  private final boolean isColourful;
  private final boolean isAscii;

  private LanternaDisplay(
      RawTerminal terminal, TerminalScreen screen, boolean isColourful, boolean isAscii) {
    this.terminal = terminal;
    this.screen = screen;
    this.isColourful = isColourful;
    this.isAscii = isAscii;
  }

  /** Takes over the terminal of this process and reports keys and size changes. */
  public static LanternaDisplay open(
      boolean isColourful, boolean isAscii, Consumer<DashEvent> listener) throws IOException {
    RawTerminal terminal = RawTerminal.open();
    try {
      TerminalScreen screen = new TerminalScreen(terminal);
      screen.setCursorPosition(null);
      screen.startScreen();
      LanternaDisplay display = new LanternaDisplay(terminal, screen, isColourful, isAscii);
      terminal.addResizeListener(
          (source, size) ->
              listener.accept(
                  new DashEvent.Resized(new ScreenSize(size.getColumns(), size.getRows()))));
      Thread keys = new Thread(() -> display.read(listener), "asynq-dash-keys");
      keys.setDaemon(true);
      keys.start();
      return display;
    } catch (IOException | RuntimeException e) {
      terminal.close();
      throw e;
    }
  }

  private void read(Consumer<DashEvent> listener) {
    try {
      while (true) {
        KeyStroke stroke = terminal.readInput();
        Optional<Key> key = key(stroke);
        if (key.isPresent()) {
          listener.accept(new DashEvent.Pressed(key.get()));
        } else if (stroke.getKeyType() == KeyType.EOF) {
          listener.accept(new DashEvent.Closed());
          return;
        }
      }
    } catch (IOException e) {
      listener.accept(new DashEvent.Closed());
    }
  }

  public static Optional<Key> key(KeyStroke stroke) {
    return switch (stroke.getKeyType()) {
      case Character -> character(stroke);
      case Enter -> Optional.of(Key.of(Key.Code.ENTER));
      case Escape -> Optional.of(Key.of(Key.Code.ESCAPE));
      case Backspace, Delete -> Optional.of(Key.of(Key.Code.BACKSPACE));
      case ArrowUp -> Optional.of(Key.of(Key.Code.UP));
      case ArrowDown -> Optional.of(Key.of(Key.Code.DOWN));
      case ArrowLeft -> Optional.of(Key.of(Key.Code.LEFT));
      case ArrowRight -> Optional.of(Key.of(Key.Code.RIGHT));
      case PageUp -> Optional.of(Key.of(Key.Code.PAGE_UP));
      case PageDown -> Optional.of(Key.of(Key.Code.PAGE_DOWN));
      case Home -> Optional.of(Key.of(Key.Code.HOME));
      case End -> Optional.of(Key.of(Key.Code.END));
      case Tab -> Optional.of(Key.of(Key.Code.TAB));
      case ReverseTab -> Optional.of(Key.of(Key.Code.BACK_TAB));
      case F1 -> Optional.of(Key.of('?'));
      case F5 -> Optional.of(Key.of(Key.Code.REFRESH));
      default -> Optional.empty();
    };
  }

  private static Optional<Key> character(KeyStroke stroke) {
    char c = stroke.getCharacter();
    if (stroke.isCtrlDown()) {
      return switch (c) {
        case 'c', 'd', '\\' -> Optional.of(Key.of(Key.Code.QUIT));
        case 'l' -> Optional.of(Key.of(Key.Code.REDRAW));
        case 'r' -> Optional.of(Key.of(Key.Code.REFRESH));
        default -> Optional.empty();
      };
    }
    return stroke.isAltDown() ? Optional.empty() : Optional.of(Key.of(c));
  }

  @Override
  public ScreenSize size() {
    TerminalSize size = screen.getTerminalSize();
    return new ScreenSize(size.getColumns(), size.getRows());
  }

  @Override
  public void show(CharacterGrid grid, boolean isComplete) {
    try {
      boolean isResized = screen.doResizeIfNecessary() != null;
      TerminalSize size = screen.getTerminalSize();
      for (int y = 0; y < Math.min(grid.height(), size.getRows()); y++) {
        for (int x = 0; x < Math.min(grid.width(), size.getColumns()); x++) {
          char c = grid.character(x, y);
          if (c != CharacterGrid.REST) {
            screen.setCharacter(x, y, styled(isAscii ? AsciiFallback.of(c) : c, grid.style(x, y)));
          }
        }
      }
      // Lanterna writes only changed cells, so nothing flickers.
      screen.refresh(isComplete || isResized ? RefreshType.COMPLETE : RefreshType.DELTA);
    } catch (IOException e) {
      throw new UncheckedIOException("the terminal cannot be written to: " + e.getMessage(), e);
    }
  }

  private TextCharacter styled(char c, Style style) {
    if (!isColourful) {
      return switch (style) {
        case TITLE, BANNER, HEADER, SELECTED -> of(c, TextColor.ANSI.DEFAULT, SGR.REVERSE);
        case BOLD, TAB, WARN, BAD -> of(c, TextColor.ANSI.DEFAULT, SGR.BOLD);
        default -> of(c, TextColor.ANSI.DEFAULT);
      };
    }
    return switch (style) {
      case PLAIN -> of(c, TextColor.ANSI.DEFAULT);
      case DIM, COMPLETED -> of(c, TextColor.ANSI.BLACK_BRIGHT);
      case BOLD -> of(c, TextColor.ANSI.DEFAULT, SGR.BOLD);
      case TITLE -> on(c, TextColor.ANSI.WHITE_BRIGHT, TextColor.ANSI.BLUE, SGR.BOLD);
      case BANNER -> on(c, TextColor.ANSI.WHITE_BRIGHT, TextColor.ANSI.RED, SGR.BOLD);
      case HEADER -> on(c, TextColor.ANSI.WHITE_BRIGHT, TextColor.ANSI.BLACK_BRIGHT);
      case SELECTED -> on(c, TextColor.ANSI.BLACK, TextColor.ANSI.CYAN);
      case TAB -> of(c, TextColor.ANSI.CYAN_BRIGHT, SGR.BOLD);
      case GOOD, ACTIVE -> of(c, TextColor.ANSI.GREEN);
      case WARN, RETRY -> of(c, TextColor.ANSI.YELLOW);
      case BAD, ARCHIVED -> of(c, TextColor.ANSI.RED);
      case PENDING -> of(c, TextColor.ANSI.BLUE_BRIGHT);
      case AGGREGATING -> of(c, TextColor.ANSI.CYAN);
      case SCHEDULED -> of(c, TextColor.ANSI.MAGENTA);
    };
  }

  private static TextCharacter of(char c, TextColor colour, SGR... modifiers) {
    return on(c, colour, TextColor.ANSI.DEFAULT, modifiers);
  }

  private static TextCharacter on(char c, TextColor colour, TextColor ground, SGR... modifiers) {
    return TextCharacter.fromCharacter(c, colour, ground, modifiers)[0];
  }

  @Override
  public void close() {
    terminal.close();
  }
}
