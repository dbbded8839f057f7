package io.asynq4j.internal.text;

import static io.asynq4j.internal.codec.ArgumentValidator.require;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Quoted strings in the formats of Go and JSON. */
final class GoQuotedText {

  /** A quoted string of either format. Its group is the text between the quotes. */
  static final String QUOTED = "\"((?:[^\"\\\\]|\\\\.)*+)\"";

  private static final Pattern ESCAPE =
      Pattern.compile("\\\\(?:x..|u.{4}|U.{8}|.)", Pattern.DOTALL);

  /** What Go does not print, and a parenthesis: Go's parser of option texts stops at the first. */
  private static final Pattern ESCAPED_BY_GO = Pattern.compile("[\\p{C}\\p{Z}\"\\\\)&&[^ ]]");

  /** The characters that Go's encoder of JSON escapes, and a parenthesis. */
  private static final Pattern ESCAPED_IN_JSON =
      Pattern.compile("[\\x00-\\x1f\"\\\\)<>&\\u2028\\u2029]");

  /** The characters that Go escapes by a letter, and in the same order these letters. */
  private static final String NAMED = "\7\b\f\n\r\t\13\"\\";

  private static final String NAMES = "abfnrtv\"\\";

  private GoQuotedText() {}

  /** Returns a string literal of Go. */
  static String quote(String text) {
    return '"' + replaceAll(ESCAPED_BY_GO, text, GoQuotedText::escapeForGo) + '"';
  }

  /** Returns a JSON string. */
  static String json(String text) {
    return '"' + replaceAll(ESCAPED_IN_JSON, text, GoQuotedText::escapeForJson) + '"';
  }

  /** Returns the text that is between quotes, with the escapes of both formats. */
  static String unescape(String quoted) {
    return replaceAll(ESCAPE, quoted, escape -> Character.toString(codePointOf(escape)));
  }

  static String replaceAll(Pattern some, String text, UnaryOperator<String> replacement) {
    return some.matcher(text)
        .replaceAll(match -> Matcher.quoteReplacement(replacement.apply(match.group())));
  }

  private static String escapeForGo(String character) {
    int codePoint = character.codePointAt(0);
    int named = NAMED.indexOf(codePoint);
    if (named >= 0) {
      return "\\" + NAMES.charAt(named);
    }
    String format = codePoint < 0x10000 ? "\\u%04x" : "\\U%08x";
    return String.format(codePoint < 0x80 ? "\\x%02x" : format, codePoint);
  }

  private static String escapeForJson(String character) {
    return "\"\\\n\r\t".contains(character)
        ? escapeForGo(character)
        : String.format("\\u%04x", (int) character.charAt(0));
  }

  private static int codePointOf(String escape) {
    char kind = escape.charAt(1);
    int named = NAMES.indexOf(kind);
    if (named >= 0) {
      return NAMED.charAt(named);
    }
    return switch (kind) {
      case '/', '\'' -> kind;
      // A larger value is a byte of an invalid text.
      case 'x' -> hex(escape, 0x7f);
      case 'u', 'U' -> hex(escape, Character.MAX_CODE_POINT);
      default -> throw new IllegalArgumentException("unknown escape " + escape);
    };
  }

  private static int hex(String escape, int most) {
    int value = Integer.parseInt(escape.substring(2), 16);
    require(value >= 0 && value <= most, "not a character: " + escape);
    return value;
  }
}
