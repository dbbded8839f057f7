package io.asynq4j.cli.dash.screen;

import io.asynq4j.Payload;
import io.asynq4j.internal.text.ByteSizeFormat;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/** Renders bytes as readable text. Very long payloads are truncated. */
public final class PayloadRenderer {

  /** Display format. */
  public enum Form {
    /** JSON if it is valid JSON, else text if it is valid text, else hexadecimal. */
    AUTO,
    TEXT,
    JSON,
    HEX;

    public Form next() {
      return switch (this) {
        case AUTO -> TEXT;
        case TEXT -> JSON;
        case JSON -> HEX;
        case HEX -> AUTO;
      };
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int MOST_BYTES = 64 * 1024;
  private static final int MOST_HEX_BYTES = 4 * 1024;
  private static final int PREVIEW_BYTES = 256;
  private static final int HEX_ROW = 16;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private PayloadRenderer() {}

  /** One line for a list. */
  public static String preview(Payload payload) {
    if (!payload.isPresent() || payload.size() == 0) {
      return CompactFormatter.NONE;
    }
    return text(payload, PREVIEW_BYTES)
        .map(text -> text.strip().replaceAll("\\s+", " "))
        .orElseGet(() -> "<binary, " + ByteSizeFormat.approximate(payload.size()) + ">");
  }

  /** All lines, wrapped to the width. */
  public static List<String> lines(Payload payload, Form form, int width) {
    if (!payload.isPresent() || payload.size() == 0) {
      return List.of("(nothing)");
    }
    Optional<String> text = text(payload, MOST_BYTES);
    Optional<String> json =
        payload.size() > MOST_BYTES ? Optional.empty() : text.flatMap(PayloadRenderer::json);
    return switch (form) {
      case AUTO ->
          json.map(found -> wrapped(found, width))
              .or(() -> text.map(found -> wrapped(found, width, payload)))
              .orElseGet(() -> hex(payload));
      case TEXT ->
          wrapped(new String(first(payload, MOST_BYTES), StandardCharsets.UTF_8), width, payload);
      case JSON ->
          json.map(found -> wrapped(found, width))
              .orElseGet(
                  () ->
                      List.of(
                          payload.size() > MOST_BYTES
                              ? "(too long to format as JSON)"
                              : "(not JSON)"));
      case HEX -> hex(payload);
    };
  }

  /** Format that automatic detection selects. */
  public static String kind(Payload payload) {
    Optional<String> text = text(payload, MOST_BYTES);
    if (payload.size() <= MOST_BYTES && text.flatMap(PayloadRenderer::json).isPresent()) {
      return "json";
    }
    return text.isPresent() ? "text" : "hex";
  }

  private static byte[] first(Payload payload, int most) {
    byte[] bytes = new byte[Math.min(most, payload.size())];
    payload.view().get(bytes);
    return bytes;
  }

  /** Beginning of the payload as text; empty if it is not text. */
  private static Optional<String> text(Payload payload, int most) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer bytes = ByteBuffer.wrap(first(payload, most));
    CharBuffer characters = CharBuffer.allocate(bytes.remaining() + 1);
    try {
      // A character that is cut off is only an error at the end of the payload.
      var result = decoder.decode(bytes, characters, payload.size() <= most);
      if (result.isError()) {
        result.throwException();
      }
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
    String text = characters.flip().toString();
    boolean isReadable =
        text.chars().allMatch(c -> !Character.isISOControl(c) || Character.isWhitespace(c));
    return isReadable ? Optional.of(text) : Optional.empty();
  }

  private static Optional<String> json(String text) {
    try {
      JSON.readTree(text);
      return Optional.of(indented(text));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** Adds line breaks to valid JSON and changes nothing else, so numbers and order are kept. */
  private static String indented(String json) {
    StringBuilder out = new StringBuilder();
    int depth = 0;
    boolean isInText = false;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (isInText) {
        out.append(c);
        if (c == '\\') {
          out.append(json.charAt(++i));
        } else if (c == '"') {
          isInText = false;
        }
      } else if (c == '"') {
        isInText = true;
        out.append(c);
      } else if (c == '{' || c == '[') {
        int close = nextInk(json, i + 1);
        out.append(c);
        if (json.charAt(close) == (c == '{' ? '}' : ']')) {
          out.append(json.charAt(close));
          i = close;
        } else {
          newLine(out, ++depth);
        }
      } else if (c == '}' || c == ']') {
        newLine(out, --depth);
        out.append(c);
      } else if (c == ',') {
        out.append(c);
        newLine(out, depth);
      } else if (c == ':') {
        out.append(": ");
      } else if (!Character.isWhitespace(c)) {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static int nextInk(String text, int from) {
    int at = from;
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static void newLine(StringBuilder out, int depth) {
    out.append('\n').append("  ".repeat(depth));
  }

  private static List<String> wrapped(String text, int width, Payload payload) {
    List<String> lines = new ArrayList<>(wrapped(text, width));
    int more = payload.size() - MOST_BYTES;
    if (more > 0) {
      lines.add("… and " + ByteSizeFormat.approximate(more) + " more");
    }
    return lines;
  }

  /** Wraps long lines. */
  public static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    text.lines()
        .forEach(
            line -> {
              String rest = TerminalText.fit(line.replace("\t", "    "));
              while (TerminalText.width(rest) > width) {
                int end = cellsToChars(rest, width);
                int blank = rest.lastIndexOf(' ', end);
                if (blank <= Math.max(0, end - 20) || rest.substring(0, blank).isBlank()) {
                  lines.add(rest.substring(0, end));
                  rest = rest.substring(end);
                } else {
                  lines.add(rest.substring(0, blank));
                  rest = rest.substring(blank + 1);
                }
              }
              lines.add(rest);
            });
    return lines;
  }

  private static int cellsToChars(String text, int width) {
    int used = 0;
    int end = 0;
    while (end < text.length()) {
      used += TerminalText.isWide(text.charAt(end)) ? 2 : 1;
      if (used > width) {
        break;
      }
      end++;
    }
    return Math.max(1, end);
  }

  private static List<String> hex(Payload payload) {
    byte[] bytes = first(payload, MOST_HEX_BYTES);
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < bytes.length; row += HEX_ROW) {
      StringBuilder codes = new StringBuilder();
      StringBuilder characters = new StringBuilder();
      for (int i = row; i < Math.min(bytes.length, row + HEX_ROW); i++) {
        codes.append(i == row + HEX_ROW / 2 ? " " : "").append(String.format("%02x ", bytes[i]));
        characters.append(bytes[i] >= ' ' && bytes[i] <= '~' ? (char) bytes[i] : '.');
      }
      lines.add(
          String.format(
              Locale.ROOT, "%04x  %-50s%s", row, codes.toString(), characters.toString()));
    }
    if (payload.size() > bytes.length) {
      lines.add(
          "… and " + ByteSizeFormat.approximate(payload.size() - (long) bytes.length) + " more");
    }
    return lines;
  }
}
