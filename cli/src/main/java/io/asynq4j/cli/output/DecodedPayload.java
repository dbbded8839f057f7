package io.asynq4j.cli.output;

import io.asynq4j.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a payload or a result looks like: JSON if it is an object, a list, a number or a text of it,
 * else text, else bytes. Immutable.
 */
public final class DecodedPayload {

  private final Payload payload;
  private final @Nullable String text;
  private final @Nullable Object json;

  private DecodedPayload(Payload payload, @Nullable String text, @Nullable Object json) {
    this.payload = payload;
    this.text = text;
    this.json = json;
  }

  public static DecodedPayload of(Payload payload) {
    String text = utf8(payload);
    return new DecodedPayload(payload, text, text == null ? null : parsed(text));
  }

  private static @Nullable String utf8(Payload payload) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(payload.bytes()))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static @Nullable Object parsed(String text) {
    try {
      return JsonReader.read(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The document; null when it is none. */
  public @Nullable Object json() {
    return json;
  }

  /** The text; null when it is JSON, nothing, or no text. */
  public @Nullable String text() {
    return json != null || payload.size() == 0 ? null : text;
  }

  /** The bytes; null when it is text. */
  public @Nullable String base64() {
    return text == null ? Base64.getEncoder().encodeToString(payload.bytes()) : null;
  }

  /** Puts it into a JSON object under its name, or under that with the form it has behind. */
  public void into(Map<String, @Nullable Object> object, String name) {
    object.put(name, json());
    object.put(name + "_text", text());
    object.put(name + "_base64", base64());
  }

  /** On one line, for tables. */
  public String line() {
    return payload.size() == 0
        ? ""
        : Optional.ofNullable(text).map(CellFormatter::oneLine).orElse(bytes());
  }

  /** On as many lines as it takes. */
  public String block(AnsiColors ink) {
    if (payload.size() == 0) {
      return ink.dim("(none)");
    }
    if (json != null) {
      return JsonWriter.indented(json, ink);
    }
    return text == null ? ink.dim(bytes()) : CellFormatter.harmless(text);
  }

  private String bytes() {
    return "(%,d bytes, no text)".formatted(payload.size());
  }
}
