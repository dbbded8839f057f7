package io.asynq4j.internal.text;

/** Quoted strings in the formats of Go and JSON. */
final class GoQuotedText {

  private GoQuotedText() {}

  /**
   * Quotes a text for Go. A closing parenthesis is escaped too, since Go's parser of option texts
   * stops at the first one.
   */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints().forEach(each -> quoted.append(escapedForGo(each)));
    return quoted.append('"').toString();
  }

  private static String escapedForGo(int codePoint) {
    return switch (codePoint) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case 7 -> "\\a";
      case '\b' -> "\\b";
      case '\f' -> "\\f";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case 11 -> "\\v";
      case ')' -> "\\x29";
      default -> isPrintable(codePoint) ? Character.toString(codePoint) : escaped(codePoint);
    };
  }

  private static String escaped(int codePoint) {
    if (codePoint < 0x80) {
      return String.format("\\x%02x", codePoint);
    }
    return String.format(codePoint < 0x10000 ? "\\u%04x" : "\\U%08x", codePoint);
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> codePoint == ' ';
      default -> true;
    };
  }

  /** Returns a JSON string. Escapes the characters that Go's encoder escapes, and parentheses. */
  static String json(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      switch (each) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (each < ' ' || "<>&)\u2028\u2029".indexOf(each) >= 0) {
            quoted.append(String.format("\\u%04x", (int) each));
          } else {
            quoted.append(each);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }

  /** Reads quoted strings with the escapes of both formats. Not thread-safe. */
  static final class Reader {
    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    void expect(char wanted) {
      if (next() != wanted) {
        throw unreadable();
      }
    }

    void expectEnd() {
      if (at != text.length()) {
        throw unreadable();
      }
    }

    String quoted() {
      expect('"');
      StringBuilder read = new StringBuilder();
      for (char each = next(); each != '"'; each = next()) {
        if (each == '\\') {
          read.appendCodePoint(escape());
        } else {
          read.append(each);
        }
      }
      return read.toString();
    }

    private int escape() {
      char kind = next();
      return switch (kind) {
        case '"', '\\', '/', '\'' -> kind;
        case 'a' -> 7;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'v' -> 11;
        case 'x' -> ascii(hex(2));
        case 'u' -> hex(4);
        case 'U' -> hex(8);
        default -> throw unreadable();
      };
    }

    /** A larger value is a byte of an invalid text. */
    private int ascii(int value) {
      if (value >= 0x80) {
        throw unreadable();
      }
      return value;
    }

    private int hex(int digits) {
      if (at + digits > text.length()) {
        throw unreadable();
      }
      int value = Integer.parseInt(text.substring(at, at + digits), 16);
      if (!Character.isValidCodePoint(value)) {
        throw unreadable();
      }
      at += digits;
      return value;
    }

    private char next() {
      if (at >= text.length()) {
        throw unreadable();
      }
      return text.charAt(at++);
    }

    private IllegalArgumentException unreadable() {
      return new IllegalArgumentException("cannot be read at character " + at + ": " + text);
    }
  }
}
