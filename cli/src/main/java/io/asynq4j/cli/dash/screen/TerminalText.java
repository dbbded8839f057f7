package io.asynq4j.cli.dash.screen;

import java.lang.Character.UnicodeBlock;
import java.util.Set;

/**
 * Fits text into terminal cells: some characters take two cells, and control characters are
 * replaced by a dot because a terminal would interpret them.
 */
public final class TerminalText {

  private static final char UNFIT = '·';
  private static final char ELLIPSIS = '…';

  private static final Set<UnicodeBlock> WIDE =
      Set.of(
          UnicodeBlock.HIRAGANA,
          UnicodeBlock.KATAKANA,
          UnicodeBlock.KATAKANA_PHONETIC_EXTENSIONS,
          UnicodeBlock.HANGUL_COMPATIBILITY_JAMO,
          UnicodeBlock.HANGUL_JAMO,
          UnicodeBlock.HANGUL_SYLLABLES,
          UnicodeBlock.CJK_UNIFIED_IDEOGRAPHS,
          UnicodeBlock.CJK_UNIFIED_IDEOGRAPHS_EXTENSION_A,
          UnicodeBlock.CJK_COMPATIBILITY_FORMS,
          UnicodeBlock.CJK_COMPATIBILITY_IDEOGRAPHS,
          UnicodeBlock.CJK_RADICALS_SUPPLEMENT,
          UnicodeBlock.CJK_SYMBOLS_AND_PUNCTUATION,
          UnicodeBlock.ENCLOSED_CJK_LETTERS_AND_MONTHS);

  private static final char FIRST_FULL_WIDTH = '\uFF01';
  private static final char LAST_FULL_WIDTH = '\uFF60';

  private TerminalText() {}

  /** The text without control characters and characters of unknown width. */
  public static String fit(String text) {
    StringBuilder fit = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              switch (Character.getType(point)) {
                case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK -> {}
                case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    fit.append(UNFIT);
                // Terminals disagree about the width of emojis.
                default -> fit.append(Character.isBmpCodePoint(point) ? (char) point : UNFIT);
              }
            });
    return fit.toString();
  }

  static boolean isWide(char c) {
    // All wide characters have high code points.
    return c >= '\u1100'
        && ((c >= FIRST_FULL_WIDTH && c <= LAST_FULL_WIDTH) || WIDE.contains(UnicodeBlock.of(c)));
  }

  /** Number of cells that the text takes. */
  public static int width(String fit) {
    return fit.length() + (int) fit.chars().filter(c -> isWide((char) c)).count();
  }

  /** The text cut to a number of cells, with an ellipsis if something is missing. */
  public static String cut(String text, int width) {
    if (width <= 0) {
      return "";
    }
    // The rest is not visible, so it is not examined.
    String fit = fit(text.length() > 4 * width + 4 ? text.substring(0, 4 * width + 4) : text);
    if (width(fit) <= width) {
      return fit;
    }
    StringBuilder cut = new StringBuilder();
    int used = 0;
    for (int i = 0; i < fit.length(); i++) {
      int next = isWide(fit.charAt(i)) ? 2 : 1;
      if (used + next > width - 1) {
        break;
      }
      cut.append(fit.charAt(i));
      used += next;
    }
    return cut.append(ELLIPSIS).toString();
  }

  /** The text cut or padded to exactly this number of cells. */
  public static String pad(String text, int width, boolean right) {
    String cut = cut(text, width);
    String blanks = " ".repeat(Math.max(0, width - width(cut)));
    return right ? blanks + cut : cut + blanks;
  }
}
